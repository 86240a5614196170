import Text

/// Holds answers against the OpenAPI document, as a client that was made from it would.
package struct DocumentCheck: Sendable {
    package let document: JSON

    /// Reads a document; null when it is no JSON.
    package init(_ bytes: [UInt8]) { document = (try? JSON(bytes)) ?? .null }

    /// What an answer has that the document has not.
    package func mistakes(
        in bytes: [UInt8], of mediaType: String, _ status: Int, to method: String, _ target: String
    ) -> [String] {
        let path = target.split(separator: "?").first.map(String.init) ?? "/"
        guard let operation = operation(method, path) else {
            return status == 404 || status == 405 || status == 401 ? [] : ["no such operation, and \(status)"]
        }
        let responses = operation["responses"]
        guard let response = responses?[String(status)] ?? (status < 400 ? nil : responses?["default"])
        else { return ["no response \(status)"] }
        guard !bytes.isEmpty else { return response["content"] == nil ? [] : ["no content"] }
        let type = mediaType.prefix { $0 != ";" }
        guard let media = response["content"]?[String(type)] else { return ["no content of type \(type)"] }
        guard type == "application/json", let schema = media["schema"] else { return [] }
        guard let value = try? JSON(bytes) else { return ["no JSON"] }
        return mistakes(in: value, schema, at: "")
    }

    package func operation(_ method: String, _ path: String) -> JSON? {
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
    package func mistakes(in value: JSON, _ schema: JSON, at path: String) -> [String] {
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
