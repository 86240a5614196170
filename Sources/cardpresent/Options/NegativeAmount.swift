/// Catches an amount with a minus sign before it is taken for an unknown option.
enum NegativeAmount {
    /// - Throws: `CommandFailure` when a negative number stands where an amount is expected.
    static func refuse(_ arguments: some Collection<String>) throws(CommandFailure) {
        guard let command = arguments.first, command == "pay" || command == "refund" else { return }
        let negative = arguments.dropFirst().first { argument in
            argument.first == "-" && argument.dropFirst().first?.isNumber == true
        }
        guard let negative else { return }
        throw CommandFailure(
            .usage, code: "invalid_amount", message: "'\(negative)' is negative: an amount is more than zero",
            fix: "give a decimal such as 12.50; to give money back use 'cardpresent refund'")
    }
}
