/// A minimal Swift program: the baseline for start-up times.
@main
enum Hello {
    static func main() { print("hi") }
}
