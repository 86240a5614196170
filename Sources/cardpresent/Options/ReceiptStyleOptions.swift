internal import ArgumentParser
internal import Receipts

/// How a receipt looks, where it is not to look as the configuration says.
struct ReceiptStyleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The paper. Default: the configuration's.", valueName: "58mm|80mm|a4|letter"))
    var paper: PaperChoice?
    @Option(
        help: ArgumentHelp(
            "The language: \(ReceiptLocale.choices). Default: the configuration's.", valueName: "language"),
        completion: .list(ReceiptLocale.all.map(\.code)))
    var locale: String?

    /// The configuration's style, and what the options say instead.
    ///
    /// - Throws: `CommandFailure`
    func applied(to style: ReceiptStyle) throws(CommandFailure) -> ReceiptStyle {
        var style = style
        if let locale { style.locale = try ReceiptLocale.named(locale) }
        if let paper { style.paper = paper.size }
        return style
    }
}
