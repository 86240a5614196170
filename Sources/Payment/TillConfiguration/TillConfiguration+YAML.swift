import CCID
import Cryptography
import Determinism
import EMV
import Hardware
import MagneticStripe
import Money
import Payments
import Printing
import Settings
import Text

extension TillConfiguration {
    /// The current configuration as a YAML file with comments and all values. Reading it returns the same
    /// configuration; keys from other files are included.
    public var yaml: String {
        ([
            SettingComment.file
        ] + merchantText + terminalText + amountText + applicationText + keyText + revocationText + readerText
            + outletText + storeText + featureText)
            .joined(separator: "\n") + "\n"
    }

    private var merchantText: [String] {
        var lines = [
            "", SettingComment.merchant, "merchant:",
            "  name: \(Self.quoted(merchant.name))  \(SettingComment.merchantName)",
        ]
        if !merchant.lines.isEmpty {
            lines.append("  address:")
            lines += merchant.lines.map { "    - " + Self.quoted($0) }
        }
        if !merchantCity.isEmpty { lines.append("  city: \(Self.quoted(merchantCity))  # field 43 of ISO 8583") }
        return lines + [
            "  id: \(Self.quoted(merchant.merchantID))  \(SettingComment.merchantID)",
            "  categoryCode: \(terminal.merchantCategory.zeroPadded(to: 4))  # tag 9F15, ISO 18245",
            "  nameAndLocation: \(Self.quoted(terminal.merchantNameAndLocation))  \(SettingComment.nameAndLocation)",
        ]
    }

    private var terminalText: [String] {
        let pin = terminal.pinPolicy
        var lines = [
            "", SettingComment.terminal, "terminal:",
            "  id: \(Self.quoted(terminal.terminalIdentification))  \(SettingComment.terminalID)",
            "  type: \([terminal.type.rawValue].hexadecimal)  # tag 9F35",
            "  country: \(CountryCode.text(terminal.country))  \(SettingComment.country)",
            "  acquirerId: \(terminal.acquirer)  # tag 9F01",
            "  interfaceDeviceSerial: \(Self.quoted(terminal.interfaceDeviceSerial))  # tag 9F1E",
        ]
        lines += Self.flags(terminal.capabilities, CapabilityNames.terminal, key: "capabilities", tag: "9F33")
        lines += Self.flags(
            terminal.additionalCapabilities, CapabilityNames.additional, key: "additionalCapabilities", tag: "9F40")
        lines += [
            "  pin:",
            "    bypass: \(pin.allowsBypass)",
            "    bypassCoversLaterMethods: \(pin.bypassCoversLaterMethods)",
            "    tries: \(pin.maximumTries)",
            "    entry: \(pin.entry.rawValue)",
            "    readerRefusal: \(pin.readerRefusal.rawValue)",
            "    readerSeconds: \(pin.readerSeconds)",
            "    scheme: \(pinPadScheme.rawValue)",
            "  applicationChoice: \(terminal.offersApplicationChoice)",
        ]
        let accounts = terminal.accountTypes.compactMap { AccountType(code: $0)?.rawValue }
        if !accounts.isEmpty { lines.append("  accountTypes: [\(accounts.joined(separator: ", "))]  # 5F57") }
        lines += [
            "  magstripe:",
            "    enabled: \(magneticStripe.isEnabled)",
            "    fallback: \(magneticStripe.allowsFallback)",
            "    chipFailures: \(magneticStripe.chipFailures)",
            "    path: \(magneticStripe.path.rawValue)",
            "    keyboards: [\(magneticStripe.keyboards.map(Self.quoted).joined(separator: ", "))]",
        ]
        return lines + ContactlessSettings.yaml(contactlessPolicy) + RelayResistanceSettings.yaml(relayResistance)
    }

    /// Returns a list of names, a few per line.
    private static func flags<Flags: ByteFlags>(
        _ flags: Flags, _ table: FlagNames<Flags>, key: String, tag: String
    ) -> [String] {
        let names = table.names(of: flags)
        guard !names.isEmpty else { return ["  \(key): \(flags)  # tag \(tag)"] }
        let rows = stride(from: 0, to: names.count, by: 4).map { start in
            "    " + names.dropFirst(start).prefix(4).map { $0 + "," }.joined(separator: " ")
        }
        return ["  \(key): [  # tag \(tag): \(flags)"] + rows + ["  ]"]
    }

    private var amountText: [String] {
        let maximum: [String] =
            if maximumAmounts.isEmpty {
                ["# No maximumAmount: payments in every currency, without limit."]
            } else if maximumAmounts.count == 1, let only = maximumAmounts.first {
                ["maximumAmount: \(only.decimalText)"]
            } else {
                ["maximumAmount:"] + maximumAmounts.map { "  \($0.currency.code): \($0.decimalText)" }
            }
        return ["", SettingComment.currency, "currency: \(currency.code)"]
            + maximum
    }

    private var applicationText: [String] {
        [
            "", "# The applications, in the order of selection on a card without a directory.",
            "applications:",
        ] + terminal.applications.flatMap(text)
    }

    private func text(_ application: TerminalApplication) -> [String] {
        let (codes, selection) = (application.actionCodes, application.randomSelection)
        let versions = application.versions.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)].hexadecimal }
        var lines = ["  - aid: \(application.aid.hexadecimal)"]
        if let name = applicationNames[application.aid] { lines.append("    name: " + Self.quoted(name)) }
        lines += [
            "    partialSelection: \(application.allowsPartialSelection)",
            "    versions: [\(versions.joined(separator: ", "))]",
            "    actionCodes: { denial: \(codes.denial), online: \(codes.online), default: \(codes.default) }",
            "    floorLimit: \(decimal(application.floorLimit))",
            "    randomSelection: { threshold: \(decimal(selection.threshold)), target: "
                + "\(selection.targetPercentage), maximum: \(selection.maximumPercentage) }",
            "    velocityCheck: \(application.checksVelocity)",
            "    defaultDDOL: \(application.defaultDDOL.encoded.hexadecimal)",
        ]
        if let list = application.defaultTDOL { lines.append("    defaultTDOL: \(list.encoded.hexadecimal)") }
        return lines
    }

    private var keyText: [String] {
        let keys =
            terminal.certificationAuthorityKeys.map(AuthorityKey.rsa)
            + terminal.ellipticAuthorityKeys.map(AuthorityKey.elliptic)
        let heading = ["", "# The payment systems' public keys."]
        return heading + (keys.isEmpty ? ["capks: []"] : ["capks:"] + keys.flatMap(Self.text))
    }

    private var revocationText: [String] {
        let entries = terminal.revokedCertificates.map { entry in
            "  - { rid: \(entry.rid.hexadecimal), index: \([entry.index].hexadecimal), "
                + "serial: \(entry.serialNumber.hexadecimal) }"
        }
        let heading = ["", "# Issuer certificates that a payment system has revoked."]
        return heading + (entries.isEmpty ? ["revocations: []"] : ["revocations:"] + entries)
    }

    private var readerText: [String] {
        let rows = readerQuirks.rules.dropFirst(ReaderQuirkTable.embedded.rules.count).flatMap(Self.text)
        return [
            "", "# Reconnection of a lost reader, and settings for reader models.", "readers:",
            "  reconnect:", "    enabled: \(reconnection.isEnabled)",
            "    giveUpAfter: \(reconnection.giveUpAfter.components.seconds)  # seconds",
            "  allowRefusedFirmware: \(readerQuirks.allowsRefusedFirmware)",
        ] + (rows.isEmpty ? ["  quirks: []"] : ["  quirks:"] + rows) + firmwareText
    }

    private var firmwareText: [String] {
        guard !readerFirmware.rows.isEmpty else { return ["  firmware: []"] }
        return ["  firmware:"]
            + readerFirmware.rows.flatMap { row -> [String] in
                let need: [String] =
                    switch row.need {
                    case .optional: ["      required: false"]
                    case .required: ["      required: true"]
                    case .requiredFrom(let date):
                        [
                            "      requiredFrom: "
                                + [
                                    date.year.zeroPadded(to: 4), date.month.zeroPadded(to: 2),
                                    date.day.zeroPadded(to: 2),
                                ]
                                .joined(separator: "-")
                        ]
                    }
                return [
                    "    - reader: " + Self.quoted(row.usbID), "      version: " + Self.quoted("\(row.release)"),
                    "      file: " + Self.quoted(row.file), "      updateMode: " + Self.quoted(row.updateUSBID),
                ] + need
            }
    }

    private static func text(_ rule: ReaderQuirkRule) -> [String] {
        let (first, last) = (rule.firmware.lowerBound, rule.firmware.upperBound)
        return [
            "    - reader: " + quoted(rule.usbID), "      firmware: " + quoted("\(first)-\(last)"),
            "      name: " + quoted(rule.name), "      source: " + quoted(rule.source),
        ]
            + rule.quirks.map { quirk in
                let value = quirk.setting.map { quirk.kind == .refusedFirmware ? quoted($0) : $0 }
                return "      \(quirk.kind.rawValue): \(value ?? "true")"
            }
            + ReaderQuirk.Kind.allCases.filter(rule.lifted.contains).map { "      \($0.rawValue): false" }
    }

    private static func text(_ key: AuthorityKey) -> [String] {
        var lines = ["  - rid: \(key.rid.hexadecimal)", "    index: \([key.index].hexadecimal)"]
        func add(_ name: String, _ bytes: [UInt8]) {
            lines.append("    \(name): >-")
            for start in stride(from: 0, to: bytes.count, by: 32) {
                lines.append("      " + bytes.dropFirst(start).prefix(32).hexadecimal)
            }
        }
        switch key {
        case .rsa(let key):
            add("modulus", key.key.modulus)
            lines.append("    exponent: \(key.key.exponent.hexadecimal)")
        case .elliptic(let key):
            lines.append("    suite: \([key.suite.rawValue].hexadecimal)")
            add("x", key.key.x)
            add("y", key.key.y)
        }
        add("checksum", key.checksum)
        if let date = key.expiry {
            lines.append(
                "    expires: \(date.year.zeroPadded(to: 4))-\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))"
            )
        }
        return lines
    }

    private var storeText: [String] {
        [
            "", "# The connection to the store, and the storage of the login.", "store:",
            "  credentials: \(store.credentials.rawValue)",
            "  connectTimeout: \(store.connectTimeout.components.seconds)  # seconds",
            store.connections.map { "  connections: \($0)  # requests at a time" }
                ?? "  # No connections: the program's default number of concurrent requests.",
            store.authorities.map { "  authorities: " + Self.quoted($0) }
                ?? "  # No authorities: those of the system.",
        ] + orderText
    }

    private var orderText: [String] {
        guard let orderPayment else {
            return ["", "# No order.payment: the gateway of the store completes orders, or else the till."]
        }
        return [
            "", "# Who completes a paid order: the gateway of the store, or the till.", "order:",
            "  payment: \(orderPayment.rawValue)",
        ]
    }

    private var featureText: [String] {
        let configured = features.configured
        guard !configured.isEmpty else { return [] }
        return ["", "# Enabled and disabled features.", "features:"]
            + configured.sorted { $0.key.rawValue < $1.key.rawValue }.map { "  \($0.key.rawValue): \($0.value)" }
    }

    private var outletText: [String] {
        [
            "", "# How long an offline payment counts when the same card pays again.",
            "splitSaleWindow: \(splitSaleWindow.setting)", "",
            "# The payment host that authorizes payments.",
        ] + hostText + receiptText + printerText
    }

    private var hostText: [String] {
        var days =
            preauthorizationDays == Self.standardPreauthorizationDays
            ? [] : ["  \(PaymentHostChoice.preauthorizationKey): \(preauthorizationDays)"]
        if incrementRenewsHold { days.append("  \(PaymentHostChoice.renewalKey): true") }
        return switch host {
        case .simulated: days.isEmpty ? ["host: simulated"] : ["host:", "  kind: simulated"] + days
        case .iso8583(let acquirer):
            ["host:"] + acquirer.yaml + routing.yaml(of: HostRouting.defaultName) + days + otherHostText
        }
    }

    private var otherHostText: [String] {
        guard !otherHosts.isEmpty else { return [] }
        let hosts = otherHosts.flatMap { other in
            ["  \(other.name):"] + (other.settings.yaml + routing.yaml(of: other.name)).map { "  " + $0 }
        }
        return ["hosts:"] + hosts + routing.yaml
    }

    private var receiptText: [String] {
        func lines(_ key: String, _ texts: [String]) -> [String] {
            texts.isEmpty ? [] : ["  \(key):"] + texts.map { "    - " + Self.quoted($0) }
        }
        func line(_ key: String, _ text: String?) -> [String] {
            text.map { ["  \(key): " + Self.quoted($0)] } ?? []
        }
        return ["", SettingComment.receipt, "receipt:"]
            + line("logo", receipt.logo) + lines("header", receipt.header) + lines("footer", receipt.footer)
            + [
                "  locale: \(receipt.language.rawValue)"
            ]
            + (receipt.languages.isEmpty
                ? []
                : ["  languages: [\(receipt.languages.map(\.rawValue).joined(separator: ", "))]  # the card chooses"])
            + [
                "  paper: \(receipt.paper.rawValue)",
                "  width: \(receipt.columns)  # columns",
                "  code: \(receipt.code.rawValue)",
                "  region: \(receipt.region.rawValue)  # whose rules apply",
            ] + line("sender", receipt.sender)
            + [printer.map { "  printer: " + Self.quoted($0) } ?? "  " + SettingComment.noPrinter]
    }

    private var printerText: [String] {
        guard !printers.isEmpty else {
            return ["", "# Receipt printers on the network.", "printers: []"]
        }
        return [
            "", "# Receipt printers on the network, or behind raw queues.", "printers:",
        ]
            + printers.flatMap { printer in
                let connection: [String] =
                    switch printer.connection {
                    case .queue: []
                    case .network(let address, let answers):
                        ["    address: " + Self.quoted(address.description), "    status: \(answers)"]
                    }
                return ["  - name: " + Self.quoted(printer.name)] + connection
                    + ["    family: \(printer.family.rawValue)", "    columns: \(printer.columns)"]
            }
    }

    private func decimal(_ minorUnits: UInt32) -> String {
        (try? Money(minorUnits: Int64(minorUnits), currency: currency))?.decimalText ?? String(minorUnits)
    }

    /// Returns a YAML scalar in double quotes. Everything except plain characters is escaped, for the terminal and for
    /// YAML parsers.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch (scalar, scalar.properties.generalCategory) {
            case ("\"", _), ("\\", _):
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator), (_, .privateUse),
                (_, .unassigned), (_, .surrogate):
                quoted += "\\U" + scalar.value.hexadecimal
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
