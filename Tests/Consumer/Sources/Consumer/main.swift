import Sallyport
import SallyportDesktop
print("x")
