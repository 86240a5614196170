/// Something that takes bytes from outside, and what holds for whatever they are.
struct FuzzTarget: Sendable {
    /// Lower-case letters, digits and hyphens: the name of the folder in the corpus too.
    let name: String
    /// The longest input that is worth trying, in bytes.
    let longestInput: Int
    /// Takes an input. Ends the program when something does not hold.
    let run: @Sendable ([UInt8]) throws -> Void
    /// Good inputs to begin with.
    let seeds: @Sendable () throws -> [[UInt8]]

    init(
        _ name: String, longestInput: Int = 512, seeds: @escaping @Sendable () throws -> [[UInt8]],
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        (self.name, self.longestInput, self.run, self.seeds) = (name, longestInput, run, seeds)
    }

    static let all: [FuzzTarget] =
        transmission + readers + stripes + [firmware] + cardData + [certificates] + payments + simulator + files
        + siteAnswers + receiptsAndMail
}

/// Ends the program, which libFuzzer takes for a find, when `condition` does not hold.
func hold(_ condition: Bool, _ rule: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(rule())") }
}

/// Ends the program when two things differ that have to be the same.
func same<Value: Equatable>(_ first: Value, _ second: Value, _ what: String) {
    hold(first == second, "\(what):\n\(first)\n\(second)")
}
