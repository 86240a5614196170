import Settings

extension ScenarioWriter {
    /// Returns the keys of a till's request, before `during` and `expect`.
    func request(_ request: TillRequest) -> [Entry] {
        var entries: [Entry] = []
        switch request.message {
        case .http(let http):
            entries.append((http.method.rawValue, .text(http.path)))
            if !http.form.isEmpty { entries.append(("form", .mapping(http.form.map { ($0.name, .text($0.value)) }))) }
            if let key = http.key { entries.append(("key", .text(key))) }
        }
        if !request.kept.isEmpty { entries.append(("keep", .mapping(request.kept.map { ($0.text, .text($0.place)) }))) }
        var answer: [Entry] = []
        if let status = request.status { answer.append(("status", .text(String(status)))) }
        if !request.fields.isEmpty {
            answer.append(("fields", .mapping(request.fields.map { ($0.place, .text($0.text)) })))
        }
        if request.isLost { answer.append(("lost", .text("true"))) }
        if let isReplayed = request.isReplayed { answer.append(("replayed", .text("\(isReplayed)"))) }
        if !answer.isEmpty { entries.append(("answer", .mapping(answer))) }
        return entries
    }
}
