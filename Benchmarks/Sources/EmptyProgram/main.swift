// Does nothing: the minimum cost of a command.
