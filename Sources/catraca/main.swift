print("catraca")
