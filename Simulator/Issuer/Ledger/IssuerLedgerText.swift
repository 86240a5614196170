import Payments
import Text

extension IssuerLedgerEntry {
    /// The entry as JSON in one line, with sorted keys: the text that `JSONEncoder` makes with `sortedKeys` and
    /// `withoutEscapingSlashes`. The encoder takes about four microseconds for each key, for which an acquirer under
    /// load has no time.
    public var jsonText: String {
        var object = ObjectText()
        object.add("account", account)
        if let answer { object.add("answer", json: answer.jsonText) }
        object.add("counter", counter)
        object.add("currency", currency)
        if let isHold { object.add("isHold", json: isHold ? "true" : "false") }
        object.add("key", key.rawValue)
        object.add("kind", kind.rawValue)
        object.add("lastFour", lastFour)
        object.add("message", message?.rawValue)
        object.add("minorUnits", minorUnits)
        object.add("original", original?.rawValue)
        object.add("reason", reason?.rawValue)
        object.add("requested", requested)
        object.add("rule", rule)
        if let scriptReport { object.add("scriptReport", json: scriptReport.jsonText) }
        object.add("scriptResults", scriptResults)
        return object.closed
    }
}

extension IssuerLedgerEntry.Answer {
    fileprivate var jsonText: String {
        var object = ObjectText()
        object.add("authorisationCode", authorizationCode)
        object.add("issuerAuthenticationData", issuerAuthenticationData)
        object.add("reference", reference)
        object.add("responseCode", responseCode)
        object.add("scriptsAfterFinal", scriptsAfterFinal)
        object.add("scriptsBeforeFinal", scriptsBeforeFinal)
        return object.closed
    }
}

extension IssuerLedgerEntry.ScriptReport {
    fileprivate var jsonText: String {
        var object = ObjectText()
        object.add("commands", commands)
        object.add("hasFailed", json: hasFailed ? "true" : "false")
        return object.closed
    }
}

/// An object of JSON that is written member by member. Members without a value are left out.
private struct ObjectText {
    private var text = "{"

    /// The whole object.
    var closed: String { text + "}" }

    /// Adds a member whose value is JSON already.
    mutating func add(_ name: String, json value: String) {
        if text.utf8.count > 1 { text += "," }
        text += "\""
        text += name
        text += "\":"
        text += value
    }

    mutating func add(_ name: String, _ value: String?) {
        if let value { add(name, json: Self.quoted(value)) }
    }

    mutating func add(_ name: String, _ value: [String]?) {
        if let value { add(name, json: "[" + value.map(Self.quoted).joined(separator: ",") + "]") }
    }

    mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        if let value { add(name, json: String(value)) }
    }

    /// A text in quotation marks. Most need no escapes.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        return isPlain ? "\"" + text + "\"" : JSONValue.text(text).jsonText
    }
}
