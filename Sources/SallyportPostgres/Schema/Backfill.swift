import SallyportServer

/// A change to all existing rows of a table in several steps, each in a transaction of its own.
///
/// Each step changes the next rows in the order of the primary key, so only few rows are locked at a time. An
/// interrupted backfill begins again at the first row, and skips the rows that were already changed. New rows must not
/// need the change, because later steps do not return to a row that is inserted among the rows that earlier steps have
/// read.
struct Backfill {
  let table: StoredTable
  /// The assignments of `UPDATE … SET`.
  let assignments: String
  /// Selects the rows that were not changed yet.
  let condition: String
  /// The number of rows that a step reads. It is also the maximum number of rows that the step changes.
  var stepSize = 1_000

  /// The statement of a step. It returns the primary key of the last row that the step has read, and no row at the end
  /// of the table. Its arguments are the values of the primary key after which the step begins.
  /// - Parameter isFirst: Whether the step begins at the first row. The statement then has no arguments.
  func step(isFirst: Bool) -> String {
    let names = self.table.key.map(\.name)
    let key = names.joined(separator: ", ")
    let placeholders = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let start = isFirst ? "true" : "(\(key)) > (\(placeholders))"
    let end = names.map { "(SELECT \($0) FROM last)" }.joined(separator: ", ")
    let reversed = names.map { "\($0) DESC" }.joined(separator: ", ")
    return """
      WITH batch AS (SELECT \(key) FROM \(self.table.name) WHERE \(start) ORDER BY \(key) LIMIT \(self.stepSize)),
        last AS (SELECT \(key) FROM batch ORDER BY \(reversed) LIMIT 1),
        changed AS (
          UPDATE \(self.table.name) SET \(self.assignments) WHERE \(start) AND (\(key)) <= (\(end)) AND (\(self.condition)))
      SELECT \(key) FROM last
      """
  }
}
