import Settings

extension ScenarioWriter {
    /// Returns the keys of a till's request, before `during` and `expect`.
    func request(_ request: TillRequest) throws(ScenarioWritingError) -> [Entry] {
        var entries = try message(request.message)
        if !request.kept.isEmpty { entries.append(("keep", .mapping(request.kept.map { ($0.text, .text($0.place)) }))) }
        var answer: [Entry] = []
        if let status = request.status { answer.append(("status", .text(String(status)))) }
        if let messages = request.messages { answer.append(("messages", .list(messages.map { .text($0) }))) }
        if !request.fields.isEmpty {
            answer.append(("fields", .mapping(request.fields.map { ($0.place, .text($0.text)) })))
        }
        if request.isLost { answer.append(("lost", .text("true"))) }
        if let isReplayed = request.isReplayed { answer.append(("replayed", .text("\(isReplayed)"))) }
        if !answer.isEmpty { entries.append(("answer", .mapping(answer))) }
        return entries
    }

    private func message(_ message: TillRequest.Message) throws(ScenarioWritingError) -> [Entry] {
        var entries: [Entry] = []
        switch message {
        case .http(let http):
            entries.append((http.method.rawValue, .text(http.path)))
            if !http.form.isEmpty { entries.append(("form", .mapping(http.form.map { ($0.name, .text($0.value)) }))) }
            if let json = http.json { entries.append(("json", .json(json))) }
            if let key = http.key { entries.append(("key", .text(key))) }
        case .nexo(let nexo):
            entries = [("send", .text(nexo.category)), ("service", .text(nexo.service))]
            if nexo.path != "/nexo" { entries.append(("path", .text(nexo.path))) }
            entries.append(("json", .json(nexo.content)))
        case .zvt(let zvt):
            switch zvt.content {
            case .command(let name, let data, let fields):
                entries.append(("command", .text(name.rawValue)))
                if !data.isEmpty { entries.append(("data", .text(data))) }
                if !fields.isEmpty { entries.append(("bmps", .mapping(fields.map { ($0.number, .text($0.value)) }))) }
            case .bytes(let digits): entries.append(("hex", .text(digits)))
            case .nothing(let time): entries.append(("listen", try Self.duration(time)))
            }
            if let cut = zvt.cut { entries.append(("cut", .text(cut))) }
        }
        return entries
    }
}
