internal import SettingsFile
internal import SmartCard

extension IssuerScriptCommand {
    /// Reads `{ when, command, … }`.
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["when"] + Command.keys)
        self.init(try Command(node), comesBeforeFinal: try node.scriptPhase())
    }
}

extension IssuerScriptCommand.Command {
    private enum Word: String, CaseIterable {
        case blockApplication, unblockApplication, blockCard, unblockPIN, putData, changePIN
    }

    static let keys = ["command", "tag", "value", "pin"]

    /// Reads `{ command, … }`; the caller checks the other keys.
    init(_ node: SettingsNode) throws(SettingsError) {
        let word = try node.required("command").choice(Word.self)
        switch word {
        case .blockApplication: self = .blockApplication
        case .unblockApplication: self = .unblockApplication
        case .blockCard: self = .blockCard
        case .unblockPIN: self = .unblockPIN
        case .putData:
            let tag = BERTag(rawValue: try node.required("tag").hex(length: 2).reduce(0) { $0 << 8 | UInt32($1) })
            self = .putData(tag, try node.required("value").hex(length: 1...32))
        case .changePIN:
            self = .changePIN(
                IssuerScriptCommand.NewPIN(try OfflinePINProfile.digits(try node.required("pin"))))
        }
        for (key, owner) in [("tag", Word.putData), ("value", .putData), ("pin", .changePIN)] where owner != word {
            if let extra = try node.optional(key) { throw extra.error("only '\(owner.rawValue)' has a \(key)") }
        }
    }
}

extension IssuerScriptTemplate {
    /// Reads a list of scripts, each `{ when, identifier, commands }`, or one command of its own.
    static func list(_ node: SettingsNode) throws(SettingsError) -> [IssuerScriptTemplate] {
        var templates: [IssuerScriptTemplate] = []
        for entry in try node.list(count: 1...8) { templates.append(try IssuerScriptTemplate(entry)) }
        try check(templates, node)
        return templates
    }

    /// - Throws: an error at `node` when the scripts are longer than a terminal has to take.
    static func check(_ templates: [IssuerScriptTemplate], _ node: SettingsNode) throws(SettingsError) {
        let length = templates.reduce(0) { $0 + $1.longestEncoding }
        guard length <= longestTotal else {
            throw node.error(
                "the scripts have \(length) bytes, and a terminal takes \(longestTotal)",
                fix: "send fewer commands, or shorter data")
        }
    }

    private init(_ node: SettingsNode) throws(SettingsError) {
        guard let commands = try node.optional("commands") else {
            let command = try IssuerScriptCommand(node)
            self.init(
                identifier: Self.standardIdentifier, comesBeforeFinal: command.comesBeforeFinal,
                commands: [command.command])
            return
        }
        try node.mapping(allowedKeys: ["when", "identifier", "commands"])
        var list: [IssuerScriptCommand.Command] = []
        for entry in try commands.list(count: 1...16) {
            try entry.mapping(allowedKeys: IssuerScriptCommand.Command.keys)
            list.append(try IssuerScriptCommand.Command(entry))
        }
        self.init(
            identifier: try node.optional("identifier")?.hex(length: 4) ?? Self.standardIdentifier,
            comesBeforeFinal: try node.scriptPhase(), commands: list)
    }
}

extension SettingsNode {
    /// `when` of a script: whether it comes before the second GENERATE AC.
    fileprivate func scriptPhase() throws(SettingsError) -> Bool {
        try optional("when")?.choice(of: ["beforeFinal": true, "afterFinal": false]) ?? false
    }
}
