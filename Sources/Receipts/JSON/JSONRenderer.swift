internal import FoundationEssentials

/// A receipt for programs: the document itself, in no language. The logo is left out.
public struct JSONRenderer: Sendable {
    public init() {}

    /// One JSON object with its keys in order, ended by a newline.
    ///
    /// - Parameters:
    ///   - document: what it says.
    ///   - isLine: whether it is on one line, as one of many.
    /// - Returns: the text.
    /// - Throws: ``ReceiptError/noJSON(_:)``
    public func render(_ document: ReceiptDocument, isLine: Bool = false) throws(ReceiptError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !isLine { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return String(decoding: try encoder.encode(document.printable), as: UTF8.self) + "\n"
        } catch {
            throw .noJSON("\(error)")
        }
    }
}
