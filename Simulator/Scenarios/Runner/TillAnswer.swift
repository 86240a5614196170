import NexoTerminal
import StripeTerminal
import Text

/// The answer of a terminal, whatever protocol its till speaks.
struct TillAnswer: Sendable {
    /// Whether the connection was closed instead.
    var isLost = false
    /// The status of HTTP; nil for a protocol without one.
    var status: Int?
    /// The error that it tells, in words; nil for none.
    var problem: String?
    /// Whether it is the answer that the request's key got before.
    var isReplayed = false
    /// The values by their places.
    var content = JSONValue.null
    /// The messages of a protocol that sends several.
    var messages: [TillMessage] = []

    init() {}

    init(_ answer: StripeAnswer) {
        let response = answer.response
        (isLost, status, content) = (answer.isLost, response.status, response.json)
        isReplayed = response.headers.contains { $0.name == "Idempotent-Replayed" }
        if response.status >= 400 { problem = Self.words(response.status, content["error"]?["message"]) }
    }

    /// Takes the inside of `SaleToPOIResponse`, which a till of nexo looks at.
    init(_ answer: NexoAnswer) {
        let response = answer.response
        let json = JSONReader.node(response.body) ?? .text(String(decoding: response.body, as: UTF8.self))
        (isLost, status, content) = (answer.isLost, response.status, json["SaleToPOIResponse"] ?? json)
        if response.status >= 400 { problem = Self.words(response.status, content["errors"]) }
        guard case .object(let members) = content else { return }
        for member in members {
            guard let result = member.value["Response"], result["Result"]?.textValue == "Failure" else { continue }
            let details = result["AdditionalResponse"]?.textValue.map { ": \($0)" } ?? ""
            problem = (result["ErrorCondition"]?.textValue ?? "Failure") + details
        }
    }

    private static func words(_ status: Int, _ message: JSONValue?) -> String {
        "\(status)" + (message.map { ": \($0.textValue ?? $0.jsonText)" } ?? "")
    }

    /// The values at a place such as `data.0.id`, or `status_information.27`; empty when there is none.
    func values(at place: String) -> [String] {
        guard messages.isEmpty else {
            guard let end = place.firstIndex(of: ".") else { return [] }
            let path = String(place[place.index(after: end)...])
            return messages.filter { $0.name == place[..<end] }.flatMap { $0.values(at: path) }
        }
        var value = content
        for part in place.split(separator: ".") {
            switch value {
            case .list(let values):
                guard let index = Int(part), values.indices.contains(index) else { return [] }
                value = values[index]
            default:
                guard let member = value[String(part)] else { return [] }
                value = member
            }
        }
        return [value.textValue ?? value.jsonText]
    }
}
