internal import ArgumentParser

/// Which of a payment's receipts is meant.
struct ReceiptKindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Of what: the sale, a refund or a void. Default: whatever came last.", valueName: "sale|refund|void"))
    var of: ReceiptKind?
}
