import Settings
import Text

extension ScenarioDecoder {
    /// Returns the till's protocol with its requests as steps; nil for a scenario without `till`, and after an error.
    mutating func till(_ node: SettingsNode) -> (tillProtocol: TillProtocol, steps: [ScenarioStep])? {
        guard let entry = try? node.optional("till") else { return nil }
        if let steps = try? node.optional("steps") {
            note(steps.error("'till' is also given; write the steps among its requests"))
        }
        let tillProtocol = note { () throws(SettingsError) in
            try entry.required("protocol").choice(TillProtocol.self)
        }
        guard let tillProtocol else { return nil }
        var steps: [ScenarioStep] = []
        for request in (try? entry.required("requests").list()) ?? [] {
            if let step = self.request(request, tillProtocol) { steps.append(step) }
        }
        return (tillProtocol, steps)
    }

    /// Returns a request, or another step, as a step.
    private mutating func request(_ node: SettingsNode, _ tillProtocol: TillProtocol) -> ScenarioStep? {
        guard node.kind == .mapping, let keys = ScenarioKeys.requestKeys[tillProtocol] else { return step(node) }
        let names = ((try? node.entries()) ?? []).map(\.key)
        let actions = names.filter { keys.first.contains($0) }
        let others = ScenarioKeys.requestKeys.values.flatMap { $0.first + $0.more }
        for name in names where !(keys.first + keys.more).contains(name) && others.contains(name) {
            guard let surplus = try? node.optional(name) else { continue }
            note(
                surplus.error(
                    "'\(name)' is no part of a request of \(tillProtocol.rawValue)",
                    fix: "write one of \((keys.first + keys.more).joined(separator: ", "))"))
        }
        guard let action = actions.first else {
            for name in names where (keys.more + ["keep", "answer"]).contains(name) {
                guard let surplus = try? node.optional(name) else { continue }
                let words = keys.first.map { "'\($0)'" }
                note(
                    surplus.error(
                        "'\(name)' belongs to a request",
                        fix: "give \(words.dropLast().joined(separator: ", ")), or \(words.last ?? "")"))
            }
            return step(node)
        }
        guard actions.count == 1, !hasAction(node) else {
            note(node.error("the entry has several actions", fix: "write an entry for each"))
            return nil
        }
        let asked = note { () throws(SettingsError) in
            let message = try Self.message(node, action, tillProtocol)
            var asked = TillRequest(message, kept: try Self.fields(try node.optional("keep"), isNamed: true))
            if let answer = try node.optional("answer") { try Self.read(answer, tillProtocol, into: &asked) }
            return asked
        }
        return asked.map { finished(.ask($0), node) }
    }

    // MARK: Messages

    private static func message(
        _ node: SettingsNode, _ action: String, _ tillProtocol: TillProtocol
    ) throws(SettingsError) -> TillRequest.Message {
        let first = try node.required(action)
        switch tillProtocol {
        case .zvt: return .zvt(try command(node, action, first))
        case .nexo where action == "send":
            let service = try node.required("service").text()
            let path = try node.optional("path")?.text() ?? "/nexo"
            let content = try node.optional("json")?.json ?? .object([])
            return .nexo(TillNexoMessage(try first.text(), service: service, content: content, path: path))
        case .stripe, .nexo:
            guard let method = TillHTTPRequest.Method(rawValue: action) else { throw first.error("no method") }
            var request = TillHTTPRequest(method, try first.text())
            guard request.path.hasPrefix("/") else { throw first.error("a path begins with '/'") }
            for field in try node.optional("form")?.entries() ?? [] {
                request.form.append(TillHTTPRequest.FormField(field.key, try field.value.text()))
            }
            request.json = try node.optional("json")?.json
            request.key = try node.optional("key")?.text()
            return .http(request)
        }
    }

    private static func command(
        _ node: SettingsNode, _ action: String, _ first: SettingsNode
    ) throws(SettingsError) -> TillZVTCommand {
        let content: TillZVTCommand.Content
        switch action {
        case "hex":
            let digits = try first.text(length: 1...10_000)
            try checkDigits(digits, first)
            content = .bytes(digits)
        case "listen": content = .nothing(try first.duration())
        default:
            var fields: [TillZVTCommand.Field] = []
            for field in try node.optional("bmps")?.entries() ?? [] {
                guard [UInt8](hexadecimal: field.key)?.count == 1 else {
                    throw field.value.error(
                        "'\(field.key)' is no field", fix: "write two hexadecimal digits, such as \"04\"")
                }
                let value = try field.value.text()
                try checkDigits(value, field.value)
                fields.append(TillZVTCommand.Field(field.key, value))
            }
            let data = try node.optional("data")
            if let data { try checkDigits(try data.text(), data) }
            content = .command(try first.choice(TillZVTCommand.Name.self), data: try data?.text() ?? "", fields: fields)
        }
        for key in ["data", "bmps"] where action != "command" {
            if let surplus = try node.optional(key) { throw surplus.error("only a command has '\(key)'") }
        }
        return TillZVTCommand(content, cut: try node.optional("cut")?.text())
    }

    /// Checks hexadecimal digits, unless they name a kept value.
    private static func checkDigits(_ text: String, _ node: SettingsNode) throws(SettingsError) {
        guard !text.contains("<") else { return }
        guard [UInt8](hexadecimal: text.filter { $0 != " " }) != nil else {
            throw node.error("no hexadecimal digits", fix: "write two for each byte, such as 06 01")
        }
    }

    // MARK: Answers

    private static func read(
        _ answer: SettingsNode, _ tillProtocol: TillProtocol, into asked: inout TillRequest
    ) throws(SettingsError) {
        let keys = ScenarioKeys.answerKeys[tillProtocol] ?? []
        for entry in try answer.entries() where !keys.contains(entry.key) {
            throw entry.value.error(
                "an answer of \(tillProtocol.rawValue) has no '\(entry.key)'",
                fix: "write one of \(keys.joined(separator: ", "))")
        }
        asked.status = try answer.optional("status")?.int()
        asked.fields = try fields(try answer.optional("fields"), isNamed: false)
        asked.isLost = try answer.optional("lost")?.bool() ?? false
        asked.isReplayed = try answer.optional("replayed")?.bool()
        if let messages = try answer.optional("messages") {
            var words: [String] = []
            for message in try messages.list() { words.append(try message.text()) }
            asked.messages = words
        }
        if tillProtocol != .zvt, asked.isLost, !asked.fields.isEmpty || asked.status != nil || !asked.kept.isEmpty {
            throw answer.error("a lost answer has neither status nor values")
        }
    }

    /// Reads a mapping of places to texts, or of names to places.
    private static func fields(_ node: SettingsNode?, isNamed: Bool) throws(SettingsError) -> [TillRequest.Field] {
        var fields: [TillRequest.Field] = []
        for entry in try node?.entries() ?? [] {
            let text = try entry.value.text()
            fields.append(isNamed ? TillRequest.Field(text, entry.key) : TillRequest.Field(entry.key, text))
        }
        return fields
    }
}
