/// A file that goes with a message.
public struct MailAttachment: Hashable, Sendable {
    /// Letters, digits, dots, hyphens and underscores.
    public let name: String
    /// Its media type, for example `application/pdf`.
    public let type: String
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - name: of the file. What could mean something to a mail program or a file system becomes an underscore.
    ///   - type: its media type; the same characters, and a slash.
    ///   - bytes: what is in it.
    public init(name: String, type: String, bytes: [UInt8]) {
        self.name = Self.tame(name, allowing: "._-")
        self.type = Self.tame(type, allowing: "._-/+")
        self.bytes = bytes
    }

    private static func tame(_ text: String, allowing others: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "0"..."9", "A"..."Z", "a"..."z": scalar
                    default: others.unicodeScalars.contains(scalar) ? scalar : "_"
                    }
                }))
    }
}
