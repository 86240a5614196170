/// What a shop says of a receipt printer in its configuration, since such a printer says little itself.
public struct ReceiptPrinter: Hashable, Sendable {
    /// How it is reached.
    public enum Connection: Hashable, Sendable {
        /// By a queue of the print server that passes bytes on.
        case queue
        /// By this program, over the network. `answers`: whether it is asked how it is, and whether it is done.
        case network(PrinterAddress, answers: Bool)
    }

    /// What it is called here; the queue's name where it is reached by one.
    public let name: String
    public let connection: Connection
    public let family: PrinterFamily
    /// Of its own letters.
    public let columns: Int

    /// Of a printer about which nobody has said more: fewer than most on 80 mm have, so that no line is broken.
    public static let standardColumns = 42

    public init(
        name: String, connection: Connection, family: PrinterFamily = .epson,
        columns: Int = ReceiptPrinter.standardColumns
    ) {
        (self.name, self.connection, self.family, self.columns) = (name, connection, family, columns)
    }
}
