/// The least that a Swift program does: the baseline for start-up times.
@main
enum Hello {
    static func main() { print("hi") }
}
