internal import Receipts

extension ReceiptLocale {
    /// The language with this code.
    ///
    /// - Throws: `CommandFailure`
    static func named(_ code: String) throws(CommandFailure) -> ReceiptLocale {
        guard let locale = ReceiptLocale(code: code) else {
            throw CommandFailure(
                .usage, code: "unknown_locale", message: "receipts are not written in '\(code)'",
                fix: .choice(of: code, among: all.map(\.code), called: "languages"))
        }
        return locale
    }

    /// What `--locale` may be, for its help.
    static let choices = all.map { "\($0.code) \($0.name)" }.joined(separator: ", ")
}
