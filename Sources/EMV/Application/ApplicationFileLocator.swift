/// Which records to read, and which of them offline data authentication covers (tag 94, EMV Book 3 §10.2).
struct ApplicationFileLocator: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Short file identifier, 1...30.
        let file: UInt8
        let records: ClosedRange<UInt8>
        /// How many records from the first on belong to the static data to be authenticated.
        let authenticatedCount: UInt8
    }

    let entries: [Entry]

    /// - Throws: ``AFLError``
    init(_ bytes: [UInt8]) throws(AFLError) {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 4), bytes.count <= 252 else { throw .length(bytes.count) }
        var entries: [Entry] = []
        var rest = bytes[...]
        while let first = rest.popFirst(), let start = rest.popFirst(), let end = rest.popFirst(),
            let authenticated = rest.popFirst()
        {
            let index = entries.count
            guard (1...30).contains(first >> 3), first & 0x07 == 0 else { throw .file(entry: index) }
            guard start > 0, end >= start else { throw .records(entry: index) }
            guard Int(authenticated) <= Int(end) - Int(start) + 1 else { throw .authenticatedCount(entry: index) }
            entries.append(Entry(file: first >> 3, records: start...end, authenticatedCount: authenticated))
        }
        self.entries = entries
    }
}
