import SmartCard

/// SELECT by name (EMV Book 1 §11.3).
extension CardOperatingSystem {
    /// `1PAY.SYS.DDF01`, the payment system environment.
    static let directoryName = Array("1PAY.SYS.DDF01".utf8)
    /// The short file identifier of the payment system directory.
    static let directoryFile: UInt8 = 1

    mutating func select(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0x04, command.p2 == 0x00 || command.p2 == 0x02 else {
            return .failed(.incorrectParameters)
        }
        guard (1...16).contains(command.data.count) else { return .failed(.wrongLength) }
        guard !isBlocked else { return .failed(.functionNotSupported) }
        let isNext = command.p2 == 0x02

        if hasPSE, !isNext, command.data == Self.directoryName {
            session = SimulatedCardSession(selection: .directory)
            return .succeeded(directoryInformation)
        }
        // "Next" continues after the selected application, in the card's order.
        let start = isNext ? (selectedIndex.map { $0 + 1 } ?? 0) : 0
        guard
            let index = applications.indices.dropFirst(start).first(where: {
                applications[$0].profile.aid.starts(with: command.data)
            })
        else { return .failed(.fileNotFound) }
        session = SimulatedCardSession(selection: .application(index))
        return ResponseAPDU(
            data: applications[index].fileControlInformation,
            status: memories[index].isBlocked ? .selectedFileInvalidated : .success)
    }

    private var directoryInformation: [UInt8] {
        var proprietary = [BERTLV(0x88, [Self.directoryFile])]
        if let languages = applications.lazy.compactMap(\.profile.languages).first {
            proprietary.append(BERTLV(0x5F2D, Array(languages.utf8)))
        }
        if applications.contains(where: { $0.profile.preferredName != nil }) { proprietary.append(BERTLV(0x9F11, [1])) }
        return BERTLV(
            0x6F, children: [BERTLV(0x84, Self.directoryName), BERTLV(0xA5, children: proprietary)]
        ).encoded
    }
}

/// GET PROCESSING OPTIONS (EMV Book 3 §6.5.8).
extension CardOperatingSystem {
    mutating func getProcessingOptions(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, session.transaction == nil else { return .failed(.conditionsNotSatisfied) }
        let application = applications[index]
        guard let template = try? BERTLV.parse(command.data), template.count == 1, template.first?.tag == 0x83,
            let data = template.first?.value
        else { return .failed(.incorrectData) }
        let values: [BERTag: [UInt8]]
        if let pdol = application.profile.pdol {
            guard let split = pdol.split(data) else { return .failed(.wrongLength) }
            values = split
        } else {
            guard data.isEmpty else { return .failed(.wrongLength) }
            values = [:]
        }
        // A used-up ATC ends the life of the application.
        guard !isBlocked, !memories[index].isBlocked, memories[index].atc < UInt16.max else {
            return .failed(.conditionsNotSatisfied)
        }

        memories[index].atc += 1
        session.transaction = CardTransaction(
            atc: memories[index].atc, terminalValues: values, terminalData: data, results: verificationResults(index),
            reportedScriptCommands: memories[index].scriptCommandCount)
        let (profile, locator) = (application.profile, application.fileLocator)
        return .succeeded(
            profile.answersInFormatTwo
                ? BERTLV(0x77, children: [BERTLV(0x82, profile.interchangeProfile), BERTLV(0x94, locator)]).encoded
                : BERTLV.encode(0x80, profile.interchangeProfile + locator))
    }

    /// Returns the card verification results at the start of a transaction.
    private func verificationResults(_ index: Int) -> CardVerificationResults {
        let memory = memories[index]
        var results = CardVerificationResults(first: .aac, pinTriesLeft: memory.pinTriesLeft)
        results.pinTryLimitExceeded = memory.pinBlock != nil && memory.pinTriesLeft == 0
        results.lastOnlineNotCompleted = memory.lastOnlineNotCompleted
        results.isNewCard = memory.lastOnlineATC == 0
        results.lastIssuerAuthenticationFailed = memory.lastIssuerAuthenticationFailed
        results.lastIssuerAuthenticationMissing = memory.lastIssuerAuthenticationMissing
        results.lastStaticAuthenticationFailed = memory.lastStaticAuthenticationFailed
        results.lastDynamicAuthenticationFailed = memory.lastDynamicAuthenticationFailed
        results.goesOnlineNextTime = memory.goesOnlineNextTime
        results.scriptCommandCount = memory.scriptCommandCount
        results.scriptFailed = memory.scriptFailed
        return results
    }
}

/// READ RECORD (EMV Book 1 §11.2).
extension CardOperatingSystem {
    func readRecord(_ command: CommandAPDU) -> ResponseAPDU {
        let file = command.p2 >> 3
        guard command.p2 & 0x07 == 0x04, (1...30).contains(file), command.p1 > 0 else {
            return .failed(.incorrectParameters)
        }
        let number = Int(command.p1) - 1
        switch session.selection {
        case .none: return .failed(.conditionsNotSatisfied)
        case .directory:
            guard file == Self.directoryFile else { return .failed(.fileNotFound) }
            guard applications.indices.contains(number) else { return .failed(.recordNotFound) }
            return .succeeded(BERTLV(0x70, children: [applications[number].directoryEntry]).encoded)
        case .application(let index):
            let (application, memory) = (applications[index], memories[index])
            if file == CardApplication.logFile, application.profile.logRecords > 0 {
                return memory.log.indices.contains(number) ? .succeeded(memory.log[number]) : .failed(.recordNotFound)
            }
            // Records of the AFL can be read only after GET PROCESSING OPTIONS returned it.
            guard session.transaction != nil else { return .failed(.conditionsNotSatisfied) }
            guard let records = application.files.first(where: { $0.identifier == file })?.records else {
                return .failed(.fileNotFound)
            }
            guard records.indices.contains(number) else { return .failed(.recordNotFound) }
            let objects = records[number].flatMap { tag in
                BERTLV.encode(tag, (memory.changedValues[tag] ?? application.values[tag])?.copy() ?? [])
            }
            return .succeeded(BERTLV.encode(0x70, objects))
        }
    }
}

/// GET DATA (EMV Book 3 §6.5.7).
extension CardOperatingSystem {
    func getData(_ command: CommandAPDU) -> ResponseAPDU {
        guard let index = selectedIndex else { return .failed(.conditionsNotSatisfied) }
        let (memory, profile) = (memories[index], applications[index].profile)
        let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
        let tags = OfflineLimitTags(profile.cryptogram)
        let value: [UInt8]?
        switch tag {
        case 0x9F36: value = memory.atc.bigEndianBytes
        case 0x9F13: value = memory.lastOnlineATC.bigEndianBytes
        case 0x9F17: value = memory.pinBlock == nil ? nil : [memory.pinTriesLeft]
        case 0x9F4F where profile.logRecords > 0:
            value = CardApplication.logFormat.flatMap { $0.tag.bytes + [UInt8($0.count)] }
        case tags.availableAmount:
            value = (memory.limits.upperAmount ?? memory.limits.lowerAmount).map {
                OfflineLimits.packedAmount($0.subtractingReportingOverflow(memory.offlineTotal).partialValue)
            }
        default: value = memory.limits.values(tags)[tag]
        }
        return value.map { .succeeded(BERTLV.encode(tag, $0)) } ?? .failed(.referencedDataNotFound)
    }
}
