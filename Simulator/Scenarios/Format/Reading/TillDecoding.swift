import Settings

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
        var steps: [ScenarioStep] = []
        for request in (try? entry.required("requests").list()) ?? [] {
            if let step = self.request(request) { steps.append(step) }
        }
        return tillProtocol.map { ($0, steps) }
    }

    /// Returns a request, or another step, as a step.
    private mutating func request(_ node: SettingsNode) -> ScenarioStep? {
        let methods = TillHTTPRequest.Method.allCases.compactMap { method in
            ((try? node.optional(method.rawValue)) ?? nil).map { (method, $0) }
        }
        guard node.kind == .mapping, let (method, path) = methods.first else {
            for key in ["form", "key", "keep", "answer"] {
                guard node.kind == .mapping, let surplus = try? node.optional(key) else { continue }
                note(surplus.error("'\(key)' belongs to a request", fix: "give 'get', 'post', or 'delete'"))
            }
            return step(node)
        }
        guard methods.count == 1, !hasAction(node) else {
            note(node.error("the entry has several actions", fix: "write an entry for each"))
            return nil
        }
        let asked = note { () throws(SettingsError) in
            var request = TillHTTPRequest(method, try path.text())
            guard request.path.hasPrefix("/") else { throw path.error("a path begins with '/'") }
            for field in try node.optional("form")?.entries() ?? [] {
                request.form.append(TillHTTPRequest.FormField(field.key, try field.value.text()))
            }
            request.key = try node.optional("key")?.text()
            var asked = TillRequest(.http(request), kept: try Self.fields(try node.optional("keep"), isNamed: true))
            guard let answer = try node.optional("answer") else { return asked }
            asked.status = try answer.optional("status")?.int()
            asked.fields = try Self.fields(try answer.optional("fields"), isNamed: false)
            asked.isLost = try answer.optional("lost")?.bool() ?? false
            asked.isReplayed = try answer.optional("replayed")?.bool()
            if asked.isLost, !asked.fields.isEmpty || asked.status != nil || !asked.kept.isEmpty {
                throw answer.error("a lost answer has neither status nor values")
            }
            return asked
        }
        return asked.map { finished(.ask($0), node) }
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
