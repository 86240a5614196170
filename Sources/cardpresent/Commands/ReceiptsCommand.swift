internal import ArgumentParser

/// `receipts`
struct ReceiptsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts", abstract: "Shows, renders and prints receipts.",
        subcommands: [
            ListReceipts.self, ShowReceipt.self, CheckReceipt.self, RenderReceipt.self, PrintReceipt.self,
            ReprintReceipt.self, ListPrints.self, CancelPrint.self, ShowBackendReceipt.self, PreviewReceipt.self,
            EmailReceipt.self,
        ])
}
