import Money
import Settings
public import SmartCard

extension ApplicationProfile {
    private static let keys = [
        "aid", "label", "preferredName", "priority", "needsConfirmation", "languages", "pan", "panSequenceNumber",
        "expiry", "effective", "version", "serviceCode", "cardholderName", "issuerCountry", "currency", "usage",
        "cardholderVerification", "terminalRiskManagement", "externalAuthenticate", "actionCodes", "pdol", "cdol1",
        "cdol2", "records", "answerFormat", "cryptogram", "offlineAuthentication", "riskManagement", "pin",
        "issuerScripts", "logRecords", "counters", "blocked", "fileLocator",
    ]

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        aid = try node.required("aid").hex(length: 5...16)
        label = try node.required("label").printable(length: 1...16)
        preferredName = try node.optional("preferredName")?.latinOne(length: 1...16)
        priority = (try node.optional("priority")?.int(in: 1...15)).map { UInt8($0) }
        needsConfirmation = try node.optional("needsConfirmation")?.bool() ?? false
        languages = try node.optional("languages")?.languageList()

        pan = try TestPAN.read(try node.required("pan"))
        panSequenceNumber = (try node.optional("panSequenceNumber")?.int(in: 0...99)).map { UInt8($0) }
        expiry = try CardDate(try node.required("expiry"))
        effective = try node.optional("effective").map { (node) throws(SettingsError) in try CardDate(node) }
        version =
            try node.optional("version")?.hex(length: 2) ?? Self.schemeVersions[Array(aid.prefix(5))] ?? [0x00, 0x01]
        serviceCode = UInt16(try node.optional("serviceCode")?.int(in: 0...999) ?? 201)
        cardholderName = try node.optional("cardholderName")?.printable(length: 2...26)
        issuerCountry = UInt16(try node.required("issuerCountry").int(in: 1...999))
        currency = try node.required("currency").currency()
        usage = try node.optional("usage").map { (node) throws(SettingsError) in try Self.usage(node) }

        cardholderVerification = try node.optional("cardholderVerification").map {
            [currency] (node) throws(SettingsError) in
            try CardholderVerificationList(node, currency: currency)
        }
        terminalRiskManagement = try node.optional("terminalRiskManagement")?.bool() ?? true
        cryptogram = try node.required("cryptogram").choice(CryptogramVersion.self)
        let defaults = SchemeDefaults(cryptogram)
        externalAuthenticate =
            try node.optional("externalAuthenticate")?.bool() ?? defaults.usesExternalAuthenticate
        actionCodes = try ActionCodes(try node.optional("actionCodes"))
        answersInFormatTwo =
            try node.optional("answerFormat")?.choice(of: ["1": false, "2": true]) ?? defaults.answersInFormatTwo

        pdol = try node.optional("pdol").map { (node) throws(SettingsError) in try CardDataObjectList(node) }
        cdol1 = try Self.dataObjectList(node, "cdol1", or: defaults.cdol1)
        cdol2 = try Self.dataObjectList(node, "cdol2", or: defaults.cdol2)
        records = try Self.records(try node.optional("records"))
        fileLocator = try node.optional("fileLocator")?.hex(length: 0...252)

        risk =
            try node.optional("riskManagement").map { [currency] (node) throws(SettingsError) in
                try CardRiskRules(node, currency: currency)
            } ?? .standard
        offlineAuthentication = try node.optional("offlineAuthentication").map { (node) throws(SettingsError) in
            try OfflineAuthenticationProfile(node)
        }
        pin = try node.optional("pin").map { (node) throws(SettingsError) in try OfflinePINProfile(node) }
        takesScripts = try node.optional("issuerScripts")?.bool() ?? true
        logRecords = UInt8(try node.optional("logRecords")?.int(in: 0...30) ?? 0)
        isBlocked = try node.optional("blocked")?.bool() ?? false
        (atc, lastOnlineATC) = try Self.counters(try node.optional("counters"))
        try check(node)
    }

    // The application versions of the schemes' terminal settings, so that a card without its own version counts as
    // current.
    private static let schemeVersions: [[UInt8]: [UInt8]] = [
        [0xA0, 0x00, 0x00, 0x00, 0x03]: [0x00, 0x96], [0xA0, 0x00, 0x00, 0x00, 0x04]: [0x00, 0x02],
        [0xA0, 0x00, 0x00, 0x00, 0x65]: [0x02, 0x00], [0xA0, 0x00, 0x00, 0x03, 0x33]: [0x00, 0x20],
    ]

    /// Checks rules that involve several values.
    private func check(_ node: SettingsNode) throws(SettingsError) {
        if let offlineAuthentication, offlineAuthentication.methods.isEmpty, pin?.encipherment == nil {
            throw (try node.optional("offlineAuthentication") ?? node).error(
                "there is nothing to authenticate", fix: "name 'methods', or give the card an enciphered PIN")
        }
        if pin?.encipherment != nil, let issuer = offlineAuthentication?.keySizes.issuer, issuer > 1976 {
            throw (try node.optional("offlineAuthentication") ?? node).error(
                "the certificate of the PIN key is longer than a record", fix: "use an issuer key of at most 1976 bits")
        }
        if signsOnCurve, pin?.encipherment != nil {
            throw (try node.optional("pin") ?? node).error(
                "a card has certificates of one kind: with 'xda' its PIN cannot be enciphered with RSA",
                fix: "leave out 'encipheredUnder'")
        }
        let verification = try node.optional("cardholderVerification") ?? node
        for rule in cardholderVerification?.rules ?? [] {
            if rule.method.needsPlaintextPIN, pin?.acceptsPlaintext != true {
                throw verification.error(
                    "the CVM list requires a plaintext PIN, which the card does not accept",
                    fix: "add a 'pin' section with 'plaintext: true'")
            }
            if rule.method.needsEncipheredPIN, pin?.encipherment == nil {
                throw verification.error(
                    "the CVM list requires an enciphered PIN, which the card does not accept",
                    fix: "add a 'pin' section with 'encipheredUnder: pinKey'")
            }
        }
        for wanted in ApplicationCryptogram.Input.terminalDataObjects
        where !cdol1.entries.contains(where: { $0.tag == wanted.tag && $0.length == wanted.count }) {
            throw (try node.optional("cdol1") ?? node).error(
                "CDOL1 does not request \(wanted.tag) with \(wanted.count) bytes, which the cryptogram needs")
        }
        guard cdol2.entries.contains(where: { $0.tag == 0x8A && $0.length == 2 }) else {
            throw (try node.optional("cdol2") ?? node).error("CDOL2 does not request 8A with 2 bytes")
        }
        if let effective, effective.encoded.lexicographicallyPrecedes(expiry.encoded) == false {
            throw node.error("the card expires before it becomes effective")
        }
        guard lastOnlineATC <= atc else {
            throw node.error(
                "'lastOnlineATC' is above 'atc': the last online transaction cannot be later than the last one")
        }
    }

    private static func usage(_ node: SettingsNode) throws(SettingsError) -> ApplicationUsage {
        var usage: ApplicationUsage = []
        for word in try node.list(count: 1...16) { usage.insert(try word.choice(of: ApplicationUsage.words)) }
        return usage
    }

    private static func dataObjectList(
        _ node: SettingsNode, _ key: String, or standard: [UInt8]
    ) throws(SettingsError) -> CardDataObjectList {
        if let node = try node.optional(key) { return try CardDataObjectList(node) }
        guard let list = CardDataObjectList(standard) else { throw node.error("no standard \(key)") }
        return list
    }

    private static func records(_ node: SettingsNode?) throws(SettingsError) -> [RecordLayout] {
        guard let node else { return RecordLayout.standard }
        var layouts: [RecordLayout] = []
        for element in try node.list(count: 1...10) {
            let layout = try RecordLayout(element)
            guard !layouts.contains(where: { $0.file == layout.file }) else {
                throw element.error("file \(layout.file) is defined twice")
            }
            layouts.append(layout)
        }
        return layouts
    }

    private static func counters(_ node: SettingsNode?) throws(SettingsError) -> (UInt16, UInt16) {
        guard let node else { return (1, 1) }
        try node.mapping(allowedKeys: ["atc", "lastOnlineATC"])
        let atc = UInt16(try node.optional("atc")?.int(in: 0...0xFFFF) ?? 1)
        return (atc, try (node.optional("lastOnlineATC")?.int(in: 0...0xFFFF)).map { UInt16($0) } ?? atc)
    }
}

extension ApplicationProfile.ActionCodes {
    /// Decodes the action codes. By default they are those of the schemes' test cards: online for nearly everything,
    /// no denial.
    init(_ node: SettingsNode?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["denial", "online", "default"])
        denial = try node?.optional("denial")?.hex(length: 5) ?? [0, 0, 0, 0, 0]
        online = try node?.optional("online")?.hex(length: 5) ?? [0xF0, 0x40, 0xBC, 0xF8, 0x00]
        `default` = try node?.optional("default")?.hex(length: 5) ?? [0xF0, 0x40, 0xBC, 0xA0, 0x00]
    }
}

/// Defaults of a scheme for values that a profile omits.
private struct SchemeDefaults {
    var cdol1: [UInt8]
    var cdol2: [UInt8]
    var usesExternalAuthenticate: Bool
    var answersInFormatTwo: Bool

    init(_ version: CryptogramVersion) {
        let terminalData = ApplicationCryptogram.Input.terminalDataObjects.flatMap { $0.tag.bytes + [UInt8($0.count)] }
        let authorizationResponseCode: [UInt8] = [0x8A, 0x02]
        switch version {
        case .cvn10, .cvn18:
            (cdol1, cdol2) = (terminalData, authorizationResponseCode + terminalData)
            (usesExternalAuthenticate, answersInFormatTwo) = (true, false)
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000:
            // Also the terminal type and the CVM results; the ARPC follows with the second GENERATE AC.
            cdol1 = terminalData + [0x9F, 0x35, 0x01, 0x9F, 0x34, 0x03]
            cdol2 = [0x91, 0x0A] + authorizationResponseCode + [0x95, 0x05, 0x9F, 0x37, 0x04]
            (usesExternalAuthenticate, answersInFormatTwo) = (false, true)
        case .aes:
            cdol1 = terminalData
            cdol2 = [0x91, 0x08] + authorizationResponseCode + [0x95, 0x05, 0x9F, 0x37, 0x04]
            (usesExternalAuthenticate, answersInFormatTwo) = (false, true)
        }
    }
}

extension CardholderVerificationList {
    fileprivate init(_ node: SettingsNode, currency: Currency) throws(SettingsError) {
        try node.mapping(allowedKeys: ["amountX", "amountY", "rules"])
        func amount(_ key: String) throws(SettingsError) -> UInt32 {
            guard let node = try node.optional(key) else { return 0 }
            guard let amount = UInt32(exactly: try node.money(currency).minorUnits) else {
                throw node.error("the amount does not fit into four bytes")
            }
            return amount
        }
        (amountX, amountY) = (try amount("amountX"), try amount("amountY"))
        rules = []
        for rule in try node.required("rules").list(count: 1...16) {
            try rule.mapping(allowedKeys: ["method", "code", "when", "otherwise"])
            rules.append(
                Rule(
                    method: try Method(rule),
                    condition: try rule.optional("when")?.choice(of: Condition.words) ?? .always,
                    goesOn: try rule.optional("otherwise")?.choice(of: ["next": true, "fail": false]) ?? false))
        }
    }
}

extension CardholderVerificationList.Method {
    /// Decodes a word under `method`, or a one-byte code under `code`, such as one unknown to terminals.
    fileprivate init(_ rule: SettingsNode) throws(SettingsError) {
        guard let code = try rule.optional("code") else {
            self = try rule.required("method").choice(of: Self.words)
            return
        }
        if let method = try rule.optional("method") {
            throw method.error("'code' on line \(code.location.line) is a duplicate of this", fix: "remove one of them")
        }
        let byte = try code.hex(length: 1).first ?? 0
        guard byte <= 0x3F else { throw code.error("a method must be 00 to 3F (six bits)") }
        self.init(rawValue: byte)
    }
}

extension SettingsNode {
    /// Decodes printable ASCII, like most text on a card (format ans).
    func printable(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error("use only printable ASCII characters")
        }
        return text
    }

    /// Decodes text in ISO 8859-1.
    fileprivate func latinOne(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) || (0xA0...0xFF).contains($0.value) }),
            length.contains(text.unicodeScalars.count)
        else { throw error("use only ISO 8859-1 characters") }
        return text
    }

    /// Decodes one to four concatenated ISO 639 codes.
    func languageList() throws(SettingsError) -> String {
        let text = try text(length: 2...8)
        guard text.utf8.allSatisfy({ (0x61...0x7A).contains($0) }), text.utf8.count.isMultiple(of: 2) else {
            throw error("not a list of ISO 639 language codes", fix: "write one to four codes such as ende")
        }
        return text
    }
}

/// The data objects of each record of an elementary file. The application file locator is made from it.
public struct RecordLayout: Hashable, Sendable {
    /// The short file identifier, 1...10.
    public var file: UInt8
    /// The number of records, from the first, that are part of offline data authentication.
    public var authenticatedRecords: UInt8
    /// The tags of each record, record 1 first.
    public var records: [[BERTag]]

    init(file: UInt8, authenticatedRecords: UInt8 = 0, records: [[BERTag]]) {
        (self.file, self.authenticatedRecords, self.records) = (file, authenticatedRecords, records)
    }

    /// The default layout. Tags without a value on the card are left out, and with them empty records.
    static let standard = [
        RecordLayout(file: 1, records: [[0x57, 0x5F20]]),
        RecordLayout(
            file: 2, authenticatedRecords: 1,
            records: [
                [
                    0x5A, 0x5F34, 0x5F24, 0x5F25, 0x5F28, 0x5F30, 0x9F07, 0x9F0D, 0x9F0E, 0x9F0F, 0x8E, 0x9F42, 0x9F08,
                    0x9F4A,
                ],
                [0x8C, 0x8D, 0x9F14, 0x9F23],
            ]),
        RecordLayout(file: 3, records: [[0x90], [0x93], [0x8F, 0x9F32, 0x92]]),
        RecordLayout(file: 4, records: [[0x9F46], [0x9F47, 0x9F48, 0x9F49], [0x9F2D], [0x9F2E, 0x9F2F]]),
    ]

    /// The tags that can be in a record.
    static let knownTags = Set(standard.flatMap { $0.records.flatMap { $0 } })

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["file", "authenticatedRecords", "records"])
        file = UInt8(try node.required("file").int(in: 1...10))
        records = []
        for recordNode in try node.required("records").list(count: 1...16) {
            var tags: [BERTag] = []
            for tagNode in try recordNode.list(count: 1...32) {
                let tag = BERTag(rawValue: try tagNode.hex(length: 1...2).reduce(0) { $0 << 8 | UInt32($1) })
                guard Self.knownTags.contains(tag) else {
                    throw tagNode.error(
                        "\(tag) cannot be in a record of this card",
                        fix: "choose from " + Self.knownTags.sorted().map(\.description).joined(separator: ", "))
                }
                guard !tags.contains(tag) else { throw tagNode.error("\(tag) is already in the record") }
                tags.append(tag)
            }
            records.append(tags)
        }
        authenticatedRecords = UInt8(try node.optional("authenticatedRecords")?.int(in: 0...records.count) ?? 0)
        for (tag, name): (BERTag, String) in [(0x9F46, "certificate"), (0x93, "signature")]
        where records.prefix(Int(authenticatedRecords)).contains(where: { $0.contains(tag) }) {
            throw node.error(
                "the \(name) in \(tag) cannot sign itself", fix: "put it in a record that is not authenticated")
        }
    }
}
