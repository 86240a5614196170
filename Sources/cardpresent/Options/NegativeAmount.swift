/// Catches an amount with a minus sign before it is taken for an unknown option.
enum NegativeAmount {
    /// - Throws: `CommandFailure` when a negative number stands where an amount is expected.
    static func refuse(_ arguments: some Collection<String>) throws(CommandFailure) {
        guard arguments.first == "pay" else { return }
        for (previous, argument) in zip(arguments, arguments.dropFirst()) where isNegativeNumber(argument) {
            // Behind an option it is that option's value, which may be a PIN.
            guard !previous.hasPrefix("-") || flags.contains(previous) else { continue }
            throw CommandFailure(
                .usage, code: "invalid_amount", message: "'\(argument)' is negative: an amount is more than zero",
                fix: "give a decimal such as 12.50; to give money back use 'cardpresent refund'")
        }
    }

    /// The options without a value.
    private static let flags: Set<String> = ["--json", "--force-online"]

    private static func isNegativeNumber(_ argument: String) -> Bool {
        let digits = argument.dropFirst().drop { $0 == "." }
        return argument.first == "-" && digits.first?.isNumber == true
    }
}
