import PostgreSQL
import Storage
import Text

/// The answer of the back office to a batch.
struct ShippingAnswer: Sendable {
    /// What the back office says of a batch; the words are those of the function `fleet.ship`.
    enum Verdict: String {
        case applied, restored, lost, epoch
    }

    let verdict: Verdict
    /// The epoch of the lane at the back office.
    let epoch: Int64
    /// The number of the last entry that it has.
    let applied: Int64

    /// - Throws: ``PostgreSQLError``
    init(_ rows: PostgreSQLRows) throws(PostgreSQLError) {
        let row = try rows.only()
        let word: String = try row.value("verdict")
        // A later back office may have a new reason to refuse: something is then wrong with the epoch in any case.
        verdict = Verdict(rawValue: word) ?? .epoch
        (epoch, applied) = (try row.value("office_epoch"), try row.value("office_applied"))
    }
}

extension OutboxBatch {
    /// The statement that ships the batch. The server applies all entries, or none.
    ///
    /// - Parameter clock: the lane's time in milliseconds, for the difference of the clocks.
    /// - Returns: the statement.
    func statement(clock: Int64) -> Statement {
        Statement(
            "SELECT * FROM fleet.ship($1, $2, $3, $4, $5, $6, $7)", .text(lane.id), .text(secret.revealed()),
            .integer(lane.epoch), .integer(position.acknowledged), .integer(position.written), .integer(clock),
            .text(jsonText))
    }

    /// The entries as a JSON list of objects: number (`s`), kind (`k`), name (`n`), content (`c`).
    var jsonText: String {
        let entries = entries.map { entry in
            #"{"s":\#(entry.sequence),"k":"\#(entry.kind.rawValue)","n":\#(JSONValue.text(entry.name).jsonText),"#
                + #""c":\#(entry.content)}"#
        }
        return Self.withoutNUL("[" + entries.joined(separator: ",") + "]")
    }

    /// Replaces the escape of the character NUL, which PostgreSQL's texts can't have, by that of U+FFFD.
    static func withoutNUL(_ json: String) -> String {
        guard json.contains(#"\u0000"#) else { return json }
        let nul = Array(#"u0000"#.utf8)
        var (result, rest) = ([UInt8](), Array(json.utf8)[...])
        result.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            result.append(byte)
            guard byte == UInt8(ascii: "\\") else { continue }
            if rest.starts(with: nul) {
                result += Array("uFFFD".utf8)
                rest = rest.dropFirst(nul.count)
            } else if let escaped = rest.popFirst() {
                // An escaped backslash does not escape what follows it.
                result.append(escaped)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
