import CardSecrets
import Determinism
import FoundationEssentials
import HTTPInterface
import Simulator
import Testing
import Text

@testable import SimulationServer

/// A service that tests ask, as the server does, but without a socket.
struct Asked: Sendable {
    let service: SimulationService
    let time: VirtualTimeSource
    var token: String?

    init(
        _ configuration: SimulationServiceConfiguration = .init(), token: String? = nil, store: SessionStore? = nil
    ) {
        time = VirtualTimeSource()
        var configuration = configuration
        if let token { configuration.token = SealedBytes(Array(token.utf8)) }
        service = SimulationService(configuration, time: time, store: store)
        self.token = token
    }

    struct Reply: Sendable {
        var status: Int
        var headers: [String: String]
        var mediaType: String
        var bytes: [UInt8]

        var json: JSON { (try? JSON(bytes)) ?? .null }
        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The word of a failure.
        var code: String? { json["error"]?["code"]?.text }
        var path: String? { json["error"]?["path"]?.text }
        var fix: String? { json["error"]?["fix"]?.text }
    }

    /// Asks, and holds the answer against the document.
    @discardableResult
    func ask(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:],
        location: SourceLocation = #_sourceLocation
    ) async -> Reply {
        var fields = ["host": "127.0.0.1:8200"].merging(headers) { $1 }
        if let token, fields["authorization"] == nil { fields["authorization"] = "Bearer \(token)" }
        let answer = await service.answer(
            APIRequest(method: method, target: target, headers: fields, body: Array(body.utf8)))
        guard case .bytes(let bytes) = answer.content else {
            Issue.record("a stream", sourceLocation: location)
            return Reply(status: answer.status, headers: [:], mediaType: answer.mediaType, bytes: [])
        }
        let reply = Reply(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }, mediaType: answer.mediaType,
            bytes: bytes)
        let mistakes = DocumentCheck.standard.mistakes(in: reply, to: method, target)
        #expect(mistakes.isEmpty, "\(method) \(target)", sourceLocation: location)
        return reply
    }

    /// Makes a session.
    ///
    /// - Returns: the beginning of its addresses.
    func session(_ plan: String = "{}") async throws -> String {
        let reply = await ask("POST", "/v1/sessions", plan)
        #expect(reply.status == 201, "\(reply.text)")
        return "/v1/sessions/" + (try #require(reply.json["id"]?.text))
    }
}

typealias JSON = JSONValue

/// For tests to look into.
extension JSONValue {
    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(DecodedJSON.self, from: Data(bytes)).value }

    subscript(index: Int) -> JSON? {
        if case .list(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var int: Int? { if case .number(let number) = self { Int(number) } else { nil } }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    var elements: [JSON] { if case .list(let elements) = self { elements } else { [] } }

    var members: [String: JSON] {
        guard case .object(let members) = self else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

/// Holds answers against the OpenAPI document, as a client that was made from it would.
struct DocumentCheck: Sendable {
    let document: JSON

    static let standard = DocumentCheck(document: (try? JSON(OpenAPIDocument.bytes)) ?? .null)

    /// What an answer has that the document has not.
    func mistakes(in reply: Asked.Reply, to method: String, _ target: String) -> [String] {
        let path = target.split(separator: "?").first.map(String.init) ?? "/"
        guard let operation = operation(method, path) else {
            return reply.status == 404 || reply.status == 405 ? [] : ["no such operation, and \(reply.status)"]
        }
        let responses = operation["responses"]
        guard let response = responses?[String(reply.status)] ?? (reply.status < 400 ? nil : responses?["default"])
        else { return ["no response \(reply.status)"] }
        guard !reply.bytes.isEmpty else { return response["content"] == nil ? [] : ["no content"] }
        let type = reply.mediaType.prefix { $0 != ";" }
        guard let media = response["content"]?[String(type)] else { return ["no content of type \(type)"] }
        guard let schema = media["schema"] else { return [] }
        return mistakes(in: reply.json, schema, at: "")
    }

    func operation(_ method: String, _ path: String) -> JSON? {
        let segments = path.split(separator: "/")
        for (template, operations) in document["paths"]?.members ?? [:] {
            let parts = template.split(separator: "/")
            guard parts.count == segments.count,
                zip(parts, segments).allSatisfy({ $0.hasPrefix("{") || $0 == $1 })
            else { continue }
            return operations[method.lowercased()]
        }
        return nil
    }

    /// JSON Schema, as far as the document uses it. What it does not know is a mistake.
    func mistakes(in value: JSON, _ schema: JSON, at path: String) -> [String] {
        if let reference = schema["$ref"]?.text {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            guard let named = document["components"]?["schemas"]?[name] else { return ["\(path): no \(reference)"] }
            return mistakes(in: value, named, at: path)
        }
        if let choices = schema["oneOf"]?.elements, !choices.isEmpty {
            let fitting = choices.filter { mistakes(in: value, $0, at: path).isEmpty }
            return fitting.count == 1 ? [] : ["\(path): \(fitting.count) shapes fit"]
        }
        if let words = schema["enum"]?.elements, !words.isEmpty, !words.contains(value) {
            return ["\(path): \(value) is none of the words"]
        }
        switch (schema["type"]?.text, value) {
        case ("string", .text), ("boolean", .bool), ("null", .null): return []
        case ("integer", .number):
            guard let number = value.int else { return ["\(path): no whole number"] }
            if let low = schema["minimum"]?.int, number < low { return ["\(path): \(number) is too small"] }
            return []
        case ("array", .list(let elements)):
            guard let items = schema["items"] else { return ["\(path): a list of anything"] }
            return elements.enumerated().flatMap { mistakes(in: $0.element, items, at: "\(path)[\($0.offset)]") }
        case ("object", .object(let members)):
            let properties = schema["properties"]?.members ?? [:]
            var found =
                schema["required"]?.elements.compactMap(\.text).filter { value[$0] == nil }
                .map { "\(path).\($0) is missing" } ?? []
            for item in members {
                let (key, member) = (item.name, item.value)
                guard let property = properties[key] else {
                    found.append("\(path).\(key) is not in the document")
                    continue
                }
                found += mistakes(in: member, property, at: "\(path).\(key)")
            }
            return found
        default: return ["\(path): \(value) is no \(schema["type"]?.text ?? "value")"]
        }
    }
}
