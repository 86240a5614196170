internal import SettingsFile
public import SmartCard

/// Which data objects an elementary file holds, record by record. The application file locator is made of it.
public struct RecordLayout: Hashable, Sendable {
    /// Short file identifier, 1...10.
    public var file: UInt8
    /// How many records, from the first one, go into offline data authentication.
    public var authenticatedRecords: UInt8
    /// The tags of each record, record 1 first.
    public var records: [[BERTag]]

    init(file: UInt8, authenticatedRecords: UInt8 = 0, records: [[BERTag]]) {
        (self.file, self.authenticatedRecords, self.records) = (file, authenticatedRecords, records)
    }

    /// Where everything lies when a profile does not say. Tags that a card has no value for are left
    /// out, and records that would be empty with them.
    static let standard = [
        RecordLayout(file: 1, records: [[0x57, 0x5F20]]),
        RecordLayout(
            file: 2, authenticatedRecords: 1,
            records: [
                [
                    0x5A, 0x5F34, 0x5F24, 0x5F25, 0x5F28, 0x5F30, 0x9F07, 0x9F0D, 0x9F0E, 0x9F0F, 0x8E, 0x9F42, 0x9F08,
                    0x9F4A,
                ],
                [0x8C, 0x8D, 0x9F14, 0x9F23],
            ]),
        RecordLayout(file: 3, records: [[0x90], [0x93], [0x8F, 0x9F32, 0x92]]),
        RecordLayout(file: 4, records: [[0x9F46], [0x9F47, 0x9F48, 0x9F49], [0x9F2D], [0x9F2E, 0x9F2F]]),
    ]

    /// The tags that may stand in a record.
    static let knownTags = Set(standard.flatMap { $0.records.flatMap { $0 } })

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["file", "authenticatedRecords", "records"])
        file = UInt8(try node.required("file").int(in: 1...10))
        records = []
        for recordNode in try node.required("records").list(count: 1...16) {
            var tags: [BERTag] = []
            for tagNode in try recordNode.list(count: 1...32) {
                let tag = BERTag(rawValue: try tagNode.hex(length: 1...2).reduce(0) { $0 << 8 | UInt32($1) })
                guard Self.knownTags.contains(tag) else {
                    throw tagNode.error(
                        "\(tag) is no data object that a record of this card can hold",
                        fix: "use some of " + Self.knownTags.sorted().map(\.description).joined(separator: ", "))
                }
                guard !tags.contains(tag) else { throw tagNode.error("\(tag) is in the record already") }
                tags.append(tag)
            }
            records.append(tags)
        }
        authenticatedRecords = UInt8(try node.optional("authenticatedRecords")?.int(in: 0...records.count) ?? 0)
        for (tag, name): (BERTag, String) in [(0x9F46, "certificate"), (0x93, "signature")]
        where records.prefix(Int(authenticatedRecords)).contains(where: { $0.contains(tag) }) {
            throw node.error(
                "the \(name) in \(tag) cannot sign itself", fix: "put it in a record that is not authenticated")
        }
    }
}
