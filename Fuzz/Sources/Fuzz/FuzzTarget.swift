/// A parser of outside bytes, and the rules that hold for every input.
struct FuzzTarget: Sendable {
    /// The name, in lowercase letters, digits, and hyphens; also the name of the folder in the corpus.
    let name: String
    /// The longest useful input, in bytes.
    let longestInput: Int
    /// Runs an input. Ends the program when a rule does not hold.
    let run: @Sendable ([UInt8]) throws -> Void
    /// The initial inputs.
    let seeds: @Sendable () throws -> [[UInt8]]

    init(
        _ name: String, longestInput: Int = 512, seeds: @escaping @Sendable () throws -> [[UInt8]],
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        (self.name, self.longestInput, self.run, self.seeds) = (name, longestInput, run, seeds)
    }

    static let all: [FuzzTarget] =
        transmission + readers + stripes + [firmware] + cardData + [certificates] + payments + simulator + files
        + siteAnswers + receiptsAndMail + hosts + [stripeCalls, nexoCalls, contactlessDirectory, ellipticCurves] + taps
        + tills
}

/// Ends the program, which libFuzzer counts as a finding, when `condition` is false.
func hold(_ condition: Bool, _ rule: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(rule())") }
}

/// Ends the program when two values differ that must be equal.
func same<Value: Equatable>(_ first: Value, _ second: Value, _ what: String) {
    hold(first == second, "\(what):\n\(first)\n\(second)")
}
