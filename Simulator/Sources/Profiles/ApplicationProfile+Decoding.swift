internal import Amounts
internal import SettingsFile
internal import SmartCard

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

    // The versions that the schemes' terminal settings name, so that a card without one of its own is a
    // current card.
    private static let schemeVersions: [[UInt8]: [UInt8]] = [
        [0xA0, 0x00, 0x00, 0x00, 0x03]: [0x00, 0x96], [0xA0, 0x00, 0x00, 0x00, 0x04]: [0x00, 0x02],
        [0xA0, 0x00, 0x00, 0x00, 0x65]: [0x02, 0x00], [0xA0, 0x00, 0x00, 0x03, 0x33]: [0x00, 0x20],
    ]

    /// What one value alone does not show.
    private func check(_ node: SettingsNode) throws(SettingsError) {
        if let offlineAuthentication, offlineAuthentication.methods.isEmpty, pin?.encipherment == nil {
            throw (try node.optional("offlineAuthentication") ?? node).error(
                "there is nothing to authenticate", fix: "name 'methods', or give the card an enciphered PIN")
        }
        if pin?.encipherment != nil, let issuer = offlineAuthentication?.keySizes.issuer, issuer > 1976 {
            throw (try node.optional("offlineAuthentication") ?? node).error(
                "the certificate of the PIN's key fills more than a record", fix: "give the issuer at most 1976 bits")
        }
        let verification = try node.optional("cardholderVerification") ?? node
        for rule in cardholderVerification?.rules ?? [] {
            if rule.method.needsPlaintextPIN, pin?.acceptsPlaintext != true {
                throw verification.error(
                    "the CVM list asks for a plaintext PIN, which the card does not take",
                    fix: "add a 'pin' section with 'plaintext: true'")
            }
            if rule.method.needsEncipheredPIN, pin?.encipherment == nil {
                throw verification.error(
                    "the CVM list asks for an enciphered PIN, which the card does not take",
                    fix: "add a 'pin' section with 'encipheredUnder: pinKey'")
            }
        }
        for wanted in ApplicationCryptogram.Input.terminalDataObjects
        where !cdol1.entries.contains(where: { $0.tag == wanted.tag && $0.length == wanted.count }) {
            throw (try node.optional("cdol1") ?? node).error(
                "CDOL1 does not ask for \(wanted.tag) with \(wanted.count) bytes, which the cryptogram needs")
        }
        guard cdol2.entries.contains(where: { $0.tag == 0x8A && $0.length == 2 }) else {
            throw (try node.optional("cdol2") ?? node).error("CDOL2 does not ask for 8A with 2 bytes")
        }
        if let effective, effective.encoded.lexicographicallyPrecedes(expiry.encoded) == false {
            throw node.error("the card expires before it becomes effective")
        }
        guard lastOnlineATC <= atc else {
            throw node.error(
                "the last transaction online cannot lie after the last one: 'lastOnlineATC' is above 'atc'")
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
                throw element.error("file \(layout.file) is there twice")
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
    /// What the schemes' test cards have: online for nearly everything, no denial.
    init(_ node: SettingsNode?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["denial", "online", "default"])
        denial = try node?.optional("denial")?.hex(length: 5) ?? [0, 0, 0, 0, 0]
        online = try node?.optional("online")?.hex(length: 5) ?? [0xF0, 0x40, 0xBC, 0xF8, 0x00]
        `default` = try node?.optional("default")?.hex(length: 5) ?? [0xF0, 0x40, 0xBC, 0xA0, 0x00]
    }
}

/// What cards of a scheme have in common, for profiles that do not say it themselves.
private struct SchemeDefaults {
    var cdol1: [UInt8]
    var cdol2: [UInt8]
    var usesExternalAuthenticate: Bool
    var answersInFormatTwo: Bool

    init(_ version: CryptogramVersion) {
        let terminalData = ApplicationCryptogram.Input.terminalDataObjects.flatMap { $0.tag.bytes + [UInt8($0.count)] }
        let authorisationResponseCode: [UInt8] = [0x8A, 0x02]
        switch version {
        case .cvn10, .cvn18:
            (cdol1, cdol2) = (terminalData, authorisationResponseCode + terminalData)
            (usesExternalAuthenticate, answersInFormatTwo) = (true, false)
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000:
            // Terminal type and CVM results besides; the ARPC comes with the second GENERATE AC.
            cdol1 = terminalData + [0x9F, 0x35, 0x01, 0x9F, 0x34, 0x03]
            cdol2 = [0x91, 0x0A] + authorisationResponseCode + [0x95, 0x05, 0x9F, 0x37, 0x04]
            (usesExternalAuthenticate, answersInFormatTwo) = (false, true)
        case .aes:
            cdol1 = terminalData
            cdol2 = [0x91, 0x08] + authorisationResponseCode + [0x95, 0x05, 0x9F, 0x37, 0x04]
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
                throw node.error("more than four bytes hold")
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
    /// A word under `method`, or a code of one byte under `code`, such as one that no terminal knows.
    fileprivate init(_ rule: SettingsNode) throws(SettingsError) {
        guard let code = try rule.optional("code") else {
            self = try rule.required("method").choice(of: Self.words)
            return
        }
        if let method = try rule.optional("method") {
            throw method.error("'code' on line \(code.location.line) says this already", fix: "remove one of them")
        }
        let byte = try code.hex(length: 1).first ?? 0
        guard byte <= 0x3F else { throw code.error("a method has six bits: 00 to 3F") }
        self.init(rawValue: byte)
    }
}

extension SettingsNode {
    /// Printable ASCII, as most text on a card is (format ans).
    fileprivate func printable(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error("only printable ASCII characters can stand here")
        }
        return text
    }

    /// Text that ISO 8859-1 can write.
    fileprivate func latinOne(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) || (0xA0...0xFF).contains($0.value) }),
            length.contains(text.unicodeScalars.count)
        else { throw error("only characters of ISO 8859-1 can stand here") }
        return text
    }

    /// One to four ISO 639 codes in a row.
    fileprivate func languageList() throws(SettingsError) -> String {
        let text = try text(length: 2...8)
        guard text.utf8.allSatisfy({ (0x61...0x7A).contains($0) }), text.utf8.count.isMultiple(of: 2) else {
            throw error("not a row of ISO 639 language codes", fix: "write one to four codes such as ende")
        }
        return text
    }
}
