import Settings

extension ProfileDecoder {
    mutating func messages(
        _ version: MessageVersion, _ table: FieldTable, _ values: ProfileValues
    ) -> [MessageKind: MessageForm] {
        var messages: [MessageKind: MessageForm] = [:]
        for entry in entries(node("messages")) {
            guard let kind = MessageKind(rawValue: entry.key), entry.value.kind == .mapping,
                let form = form(kind, version, table, values, entry.value)
            else { continue }
            messages[kind] = form
        }
        return messages
    }

    private mutating func form(
        _ kind: MessageKind, _ version: MessageVersion, _ table: FieldTable, _ values: ProfileValues,
        _ node: SettingsNode
    ) -> MessageForm? {
        func value(_ key: String) -> SettingsNode? { try? node.optional(key) }
        guard let type = type(value("mti"), version) else { return nil }
        guard let standard = type.answer else {
            if let mti = value("mti") { note(mti.error("the type of an answer")) }
            return nil
        }
        let answer = self.type(value("answer"), version) ?? standard
        if !answer.isAnswer, let place = value("answer") { note(place.error("not the type of an answer")) }
        var form = MessageForm(
            type: type, answer: answer, repeated: self.type(value("repeat"), version) ?? type.repeated,
            mandatory: fieldSet(node, "M", table), conditional: fieldSet(node, "C", table))
        if let processing = value("processing") {
            let key = text("", processing)
            form.processing = key
            if values.processing[key] == nil {
                note(
                    processing.error(
                        "values.processing has no '\(key)'",
                        fix: "use one of \(values.processing.keys.sorted().joined(separator: ", "))"))
            }
        }
        if let function = value("function") {
            form.function = text("", function)
            check(text("", function), 24, table, function)
        }
        if let reason = value("reason") {
            form.reason = text("", reason)
            check(text("", reason), 25, table, reason)
        }
        if let code = value("code"), text("none", code) != "none" {
            form.code = text("", code)
            check(text("", code), 70, table, code)
        }
        if kind == .settlement {
            form.settlement = .init(
                totals: word(.none, value("totals")), reversed: word(.both, value("reversed")))
        }
        if let key = value("keyIn") {
            form.keyExchange = .init(
                field: int(48, key), form: word(.tdesEcbUnderTMK, value("keyForm")),
                checkValueLength: int(3, value("checkValue")))
        }
        return form
    }

    private mutating func type(_ node: SettingsNode?, _ version: MessageVersion) -> MessageType? {
        guard let node else { return nil }
        guard let type = MessageType(text("", node)) else {
            note(node.error("not a message type", fix: "write four digits, such as 0200"))
            return nil
        }
        if type.version != version.digit {
            note(node.error("a message type of \(version.rawValue) begins with \(version.digit)"))
        }
        return type
    }

    private mutating func fieldSet(_ node: SettingsNode, _ key: String, _ table: FieldTable) -> FieldSet {
        guard let list = (try? node.optional("fields"))?.flatMap({ try? $0.optional(key) }) else { return FieldSet() }
        return FieldSet(numbers(list, table))
    }

    /// Reads a list of fields that the dialect has.
    private mutating func numbers(_ list: SettingsNode?, _ table: FieldTable) -> [Int] {
        var numbers: [Int] = []
        for entry in note([], { () throws(SettingsError) in try list?.list() }) {
            let number = int(0, entry)
            guard !omitted.contains(number) else { continue }
            if table[number] == nil {
                note(entry.error("the profile has no field \(number)", fix: "write it under fields, or remove it here"))
            }
            numbers.append(number)
        }
        return numbers
    }

    /// Notes an inquiry that does not say which request it asks about, that has card data, or that has a repeat, which
    /// is never sent.
    mutating func checkInquiry(_ form: MessageForm?, _ matching: MatchingRules) {
        guard let form, let place = node("messages", "inquiry") else { return }
        if let field = form.mandatory.first(where: { $0 == 14 || ISOMessage.secretFields.contains($0) }) {
            note(
                (node("messages", "inquiry", "fields", "M") ?? place).error(
                    "an inquiry is sent without the card, and field \(field) has its data",
                    fix: "remove \(field), and ask the acquirer whether the host answers without it"))
        }
        if let place = node("messages", "inquiry", "repeat") {
            note(place.error("an inquiry is never repeated", fix: "remove repeat"))
        }
        let field: Int? =
            switch matching.originalData {
            case .field90: 90
            case .field56: 56
            case .none: nil
            }
        if let field, form.mandatory.contains(field) { return }
        note(
            place.error(
                "an inquiry has to name the request that it asks about",
                fix: "write matching.originalData, and field \(field ?? 90) under fields.M"))
    }

    mutating func matching(_ table: FieldTable) -> MatchingRules {
        var matching = MatchingRules()
        if let key = node("matching", "key") { matching.key = numbers(key, table) }
        matching.echoed = numbers(node("matching", "echoed"), table)
        matching.stanOfReversal = word(.original, node("matching", "stanOfReversal"))
        matching.originalData = word(.none, node("matching", "originalData"))
        return matching
    }

    mutating func results(_ version: MessageVersion, _ table: FieldTable) -> ResultRules {
        var results = ResultRules()
        results.approved = codes("approved", table)
        results.partial = codes("partial", table)
        results.reverseAnyway = codes("reverseAnyway", table)
        results.reversalDone = codes("reversalDone", table)
        results.adviceDone = codes("adviceDone", table)
        results.newKeysOn = codes("newKeysOn", table)
        results.signOnAgainOn = codes("signOnAgainOn", table)
        results.meanings = ResponseMeanings.of(version).merging(self.table(node("results", "meanings"))) { $1 }
        return results
    }

    private mutating func codes(_ key: String, _ table: FieldTable) -> [String] {
        guard let list = node("results", key) else { return [] }
        for entry in note([], { () throws(SettingsError) in try list.list() }) {
            check(text("", entry), 39, table, entry)
        }
        return texts(list)
    }

    mutating func security(_ table: FieldTable, _ messages: [MessageKind: MessageForm]) -> SecurityRules {
        var security = SecurityRules()
        if node("security", "mac") != nil {
            security.mac = SecurityRules.MACRule(
                algorithm: word(.iso9797Algorithm3, node("security", "mac", "algorithm")),
                padding: int(1, node("security", "mac", "padding")), bytes: int(8, node("security", "mac", "bytes")),
                scheme: word(.masterSession, node("security", "mac", "scheme")),
                key: text("", node("security", "mac", "key")), messages: macMessages(messages),
                keySerialNumberField: node("security", "mac", "ksn").map { int(53, $0) },
                isBothWays: bool(false, node("security", "mac", "bothWays")))
        }
        if let pin = node("security", "pin") {
            let rule = SecurityRules.PINRule(
                format: int(0, node("security", "pin", "format")),
                scheme: word(.masterSession, node("security", "pin", "scheme")),
                key: text("", node("security", "pin", "key")))
            security.pin = rule
            if ![0, 4].contains(rule.format) { note(pin.error("the PIN block has format 0 or 4")) }
            let length = rule.format == 4 ? 16 : 8
            if let format = table[52], format.length != .fixed(length) {
                note(pin.error("field 52 must have \(length) bytes", fix: "write fields.52.length: \(length)"))
            }
        }
        security.masterKey = text(security.masterKey, node("security", "masterKey"))
        security.keySerialNumberField = node("security", "ksn").map { int(53, $0) }
        if let field = security.keySerialNumberField, table[field] == nil, let place = node("security", "ksn") {
            note(place.error("the profile has no field \(field)"))
        }
        if let place = node("security", "mac"), let mac = security.mac { check(mac, security, table, place) }
        return security
    }

    /// Checks that MACs under DUKPT have a field for the key serial number, and keys that DUKPT derives.
    private mutating func check(
        _ mac: SecurityRules.MACRule, _ security: SecurityRules, _ table: FieldTable, _ place: SettingsNode
    ) {
        guard let length = mac.scheme.keySerialNumberLength else { return }
        if mac.algorithm == .hmacSHA256 {
            note(place.error("DUKPT has no key for 'hmac-sha256' here", fix: "use cmac, iso9797-1, or iso9797-3"))
        }
        guard let field = security.macKeySerialNumberField else {
            note(place.error("MACs under DUKPT need a key serial number", fix: "write security.ksn: 53, or mac.ksn"))
            return
        }
        guard let format = table[field] else {
            note(place.error("the profile has no field \(field)"))
            return
        }
        let count = format.attribute == .b ? length : 2 * length
        let fits = if case .fixed(let fixed) = format.length { fixed == count } else { format.length.maximum >= count }
        if !fits || ![.b, .an, .anp, .ans].contains(format.attribute) {
            note(
                place.error(
                    "field \(field) does not take a key serial number of \(length) bytes",
                    fix: "write fields.\(field): { attribute: b, length: \(length) }, or an with \(2 * length)"))
        }
        if let pin = security.pin, pin.scheme != .masterSession, field == security.keySerialNumberField,
            pin.key != mac.key || pin.scheme != mac.scheme
        {
            note(
                place.error(
                    "MAC and PIN have one field for the key serial numbers of two keys",
                    fix: "use the same key and scheme for both, or write mac.ksn"))
        }
    }

    private mutating func macMessages(_ messages: [MessageKind: MessageForm]) -> Set<MessageKind> {
        var kinds: Set<MessageKind> = []
        let list = node("security", "mac", "on")
        for entry in note([], { () throws(SettingsError) in try list?.list() }) {
            guard let kind = MessageKind(rawValue: text("", entry)) else { continue }
            if messages[kind] == nil { note(entry.error("the profile has no message \(kind.rawValue)")) }
            kinds.insert(kind)
        }
        if kinds.isEmpty, let place = list ?? node("security", "mac") {
            note(
                place.error(
                    "no message has the MAC",
                    fix: "name the messages under security.mac.on, such as [sale, reversal], or remove security.mac"))
        }
        return kinds
    }

    mutating func timing() -> TimingRules {
        var timing = TimingRules()
        timing.answer = duration(timing.answer, node("timing", "answer"))
        timing.reversalAnswer = duration(timing.reversalAnswer, node("timing", "reversalAnswer"))
        if let backoff = node("timing", "backoff") {
            timing.backoff = note(timing.backoff) { () throws(SettingsError) in
                var pauses: [Duration] = []
                for pause in try backoff.list() { pauses.append(try pause.duration()) }
                return pauses
            }
        }
        if let stop = node("timing", "stopAfter"), text("", stop) != "never" { timing.stopAfter = int(1, stop) }
        timing.oneOpenReversal = bool(true, node("timing", "oneOpenReversal"))
        return timing
    }

    mutating func limits(_ table: FieldTable) -> LimitRules {
        var limits = LimitRules()
        let (first, last) = (int(1, node("limits", "stanFrom")), int(999_999, node("limits", "stanTo")))
        if first <= last {
            limits.stan = first...last
        } else if let place = node("limits", "stanTo") {
            note(place.error("stanTo is less than stanFrom"))
        }
        if let digits = table[11]?.length.maximum, String(last).count > digits, let place = node("limits", "stanTo") {
            note(place.error("field 11 has \(digits) digits"))
        }
        limits.storedAdvices = int(limits.storedAdvices, node("limits", "storedAdvices"))
        limits.storedAdviceAge = duration(limits.storedAdviceAge, node("limits", "storedAdviceAge"))
        return limits
    }
}
