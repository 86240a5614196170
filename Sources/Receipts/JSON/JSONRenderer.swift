internal import FoundationEssentials

/// A receipt for programs: the document itself, in no language. The logo is left out.
public struct JSONRenderer: Sendable {
    public init() {}

    /// One JSON object with its keys in order, ended by a newline.
    ///
    /// - Throws: ``ReceiptError/noJSON(_:)``
    public func render(_ document: ReceiptDocument) throws(ReceiptError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(document.printable), as: UTF8.self) + "\n"
        } catch {
            throw .noJSON("\(error)")
        }
    }
}
