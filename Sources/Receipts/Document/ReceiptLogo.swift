/// A merchant's picture: a PNG file of a size that fits a receipt.
public struct ReceiptLogo: Hashable, Sendable {
    /// The file.
    public let png: [UInt8]
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    /// The most bytes that a logo may have.
    public static let byteLimit = 1_048_576
    /// The most pixels that a side may have.
    public static let sideLimit = 4096

    /// Reads the head of the file (PNG, W3C recommendation, §5.2 and §11.2.1).
    ///
    /// - Throws: ``ReceiptError/logoIsNoPNG``, ``ReceiptError/logoTooLarge(width:height:)``
    public init(png: [UInt8]) throws(ReceiptError) {
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard png.count >= 33, png.starts(with: head) else { throw .logoIsNoPNG }
        let width = png[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let height = png[20..<24].reduce(0) { $0 << 8 | Int($1) }
        guard width > 0, height > 0 else { throw .logoIsNoPNG }
        guard width <= Self.sideLimit, height <= Self.sideLimit, png.count <= Self.byteLimit else {
            throw .logoTooLarge(width: width, height: height)
        }
        (self.png, self.width, self.height) = (png, width, height)
    }
}
