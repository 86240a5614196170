import Text

/// The records of the acquirer in their order, with the ways to find them.
struct AcquirerBook {
    /// A message type and a key: a message about money that must not count twice.
    private struct MessageName: Hashable {
        var type: String
        var key: AcquirerKey
    }

    private(set) var records: [AcquirerRecord] = []
    private var messages: [MessageName: Int] = [:]
    private var transactions: [AcquirerKey: Int] = [:]
    private var sent: [String: Int] = [:]
    private var references: [String: Int] = [:]
    private var missing: Set<String> = []
    /// The places of the refunds and voids of a record.
    private var givenBack: [Int64: [Int]] = [:]
    /// The places of the increments of an authorization.
    private var increments: [Int64: [Int]] = [:]

    init(_ records: [AcquirerRecord] = []) {
        for record in records { append(record) }
    }

    /// The number of the next record.
    var nextID: Int64 { Int64(records.count) + 1 }

    /// Returns the record of a message that came before.
    func message(_ type: String, _ key: AcquirerKey) -> AcquirerRecord? {
        messages[MessageName(type: type, key: key)].map { records[$0] }
    }

    /// Returns the transaction with a key.
    func transaction(_ key: AcquirerKey) -> AcquirerRecord? { transactions[key].map { records[$0] } }

    func hasTransaction(_ key: AcquirerKey) -> Bool { transactions[key] != nil }

    subscript(id: Int64) -> AcquirerRecord? {
        records.indices.contains(Int(id) - 1) ? records[Int(id) - 1] : nil
    }

    mutating func append(_ record: AcquirerRecord) {
        let place = records.count
        records.append(record)
        messages[MessageName(type: record.type, key: record.key)] = place
        if let name = record.missing { missing.insert(name) }
        if let original = record.original, record.kind == .refund || record.kind == .void {
            givenBack[original, default: []].append(place)
        }
        if let original = record.original, record.kind == .increment {
            increments[original, default: []].append(place)
        }
        guard record.kind.isRequest || record.kind == .void || record.kind == .completion else { return }
        if record.kind.isTransaction { transactions[record.key] = place }
        sent[Self.sentName(record.terminal, record.traceNumber, record.transmission)] = place
        let reference = "\(record.terminal)/\(record.reference)"
        // A refund may repeat the reference of its sale, which stays the first.
        if references[reference] == nil { references[reference] = place }
    }

    /// Replaces a record by a later state of it.
    mutating func replace(_ record: AcquirerRecord) {
        guard self[record.id] != nil else { return }
        records[Int(record.id) - 1] = record
    }

    private static func sentName(_ terminal: String, _ traceNumber: String, _ transmission: String) -> String {
        "\(terminal)/\(traceNumber)/\(transmission)"
    }

    /// Finds the transaction that a message is about; the newest one where several fit.
    func original(_ wanted: OriginalReference, terminal: String) -> AcquirerRecord? {
        if let time = wanted.localTime {
            let key = AcquirerKey(terminal: terminal, traceNumber: wanted.traceNumber, localTime: time)
            if let type = wanted.type, let found = message(type, key) { return found }
            if let place = transactions[key] { return records[place] }
        }
        if let time = wanted.transmission,
            let place = sent[Self.sentName(terminal, wanted.traceNumber, time)]
        {
            return records[place]
        }
        // A reference names no transaction with another trace number.
        guard let place = wanted.reference.flatMap({ references["\(terminal)/\($0)"] }),
            wanted.traceNumber.isEmpty || wanted.traceNumber == records[place].traceNumber
        else { return nil }
        return records[place]
    }

    /// Whether a message was taken back before it arrived.
    func isTakenBack(_ request: AcquirerRequest) -> Bool {
        guard !missing.isEmpty else { return false }
        let sent = Self.sentName(request.key.terminal, request.traceNumber, request.transmission)
        return missing.contains(request.key.description) || missing.contains(sent)
    }

    /// The name under which a message that never arrived is remembered.
    static func missingName(_ wanted: OriginalReference, terminal: String) -> String {
        if let time = wanted.localTime {
            return AcquirerKey(terminal: terminal, traceNumber: wanted.traceNumber, localTime: time).description
        }
        return sentName(terminal, wanted.traceNumber, wanted.transmission ?? "")
    }

    /// The records of a terminal's open batch in a currency that move money.
    func openBatch(terminal: String, currency: String) -> [AcquirerRecord] {
        records.filter {
            $0.terminal == terminal && $0.currency == currency && $0.settlement == nil && $0.kind.isTransaction
                && $0.moved > 0
        }
    }

    /// What an authorization holds or held with its approved increments, in minor units.
    func held(_ authorization: AcquirerRecord) -> Int64 {
        (increments[authorization.id] ?? []).map { records[$0] }.filter { $0.state == .approved }
            .reduce(authorization.approved ?? authorization.amount) { $0 + $1.amount }
    }

    /// What the refunds and voids of a transaction gave back, in minor units.
    func refunded(_ id: Int64) -> Int64 {
        (givenBack[id] ?? []).map { records[$0] }.filter { $0.state == .approved }.reduce(0) { $0 + $1.amount }
    }
}
