/// A receipt as plain text, for a roll of paper, a terminal or a message. Pictures and codes are left out.
///
/// Scripts from right to left stay in the order in which they are read: what shows the text turns them.
public struct PlainTextRenderer: Sendable {
    private let layout: LineLayout

    /// `width`: columns, limited to 24...80.
    public init(width: Int) { layout = LineLayout(width: width) }

    /// The lines, each ended by a newline.
    public func render(_ blocks: [ReceiptBlock]) -> String {
        var text = ""
        for line in layout.lines(blocks) {
            guard let columns = line.columns(layout.width) else { continue }
            text += columns
            text += "\n"
        }
        return text
    }
}
