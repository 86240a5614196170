import SmartCard

/// Finds the applications that card and terminal both support, and selects one (EMV Book 1 §12).
struct ApplicationSelection {
    let session: CardSession
    let terminal: TerminalConfiguration
    let cardholder: any CardholderInterface

    /// A card that returns more occurrences than this for one AID is looping.
    private static let maximumOccurrences = 32

    /// Returns the candidates from the payment system directory if it is valid, otherwise from the terminal's list of
    /// AIDs.
    func findCandidates() async throws(KernelStop) -> CandidateList {
        if let listed = try await readDirectory(), !listed.candidates.isEmpty { return listed }
        return try await askForEachApplication()
    }

    // MARK: Directory (§12.3.2)

    /// - Returns: nil if there is no valid directory.
    private func readDirectory() async throws(KernelStop) -> CandidateList? {
        let response = try await session.select(Array("1PAY.SYS.DDF01".utf8))
        guard response.status != .functionNotSupported else { throw .failed(.cardBlocked) }
        guard response.status == .success, let information = FileControlInformation(response.data),
            let file = information.value(EMVTag.shortFileIdentifier), file.count == 1,
            let identifier = file.first, (1...10).contains(identifier)
        else { return nil }
        let codeTable = information.value(EMVTag.issuerCodeTableIndex)
        var list = CandidateList()
        for record in 1...UInt8.max {
            let response = try await session.readRecord(record, file: identifier)
            if response.status == .recordNotFound { return list }
            guard response.status == .success, let objects = try? BERTLV.parse(response.data), objects.count == 1,
                let template = objects.first, template.tag == EMVTag.recordTemplate
            else { return nil }
            for entry in template.children where entry.tag == EMVTag.applicationTemplate {
                add(entry, codeTable: codeTable, to: &list)
            }
        }
        return list
    }

    private func add(_ entry: BERTLV, codeTable: [UInt8]?, to list: inout CandidateList) {
        func value(_ tag: BERTag) -> [UInt8]? { entry.children.first { $0.tag == tag }?.value }
        guard let dfName = value(EMVTag.adfName), (5...16).contains(dfName.count) else { return }
        for application in terminal.applications where application.matches(dfName: dfName) {
            let name = ApplicationName(
                label: value(EMVTag.applicationLabel), preferredName: value(EMVTag.preferredName),
                codeTableIndex: codeTable, capabilities: terminal.additionalCapabilities)
            list.add(
                ApplicationCandidate(
                    dfName: dfName, terminalApplication: application, name: name,
                    priorityIndicator: value(EMVTag.priorityIndicator)))
        }
    }

    // MARK: List of AIDs (§12.3.3)

    private func askForEachApplication() async throws(KernelStop) -> CandidateList {
        var list = CandidateList()
        for (position, application) in terminal.applications.enumerated() {
            var response = try await session.select(application.aid)
            if position == 0, response.status == .functionNotSupported { throw .failed(.cardBlocked) }
            var seen: Set<[UInt8]> = []
            while response.status == .success || response.status.isWarning {
                let isBlocked = response.status != .success
                guard let information = FileControlInformation(response.data) else {
                    list.foundBlocked = list.foundBlocked || response.status == .selectedFileInvalidated
                    break
                }
                guard information.dfName.starts(with: application.aid),
                    seen.insert(information.dfName).inserted, seen.count <= Self.maximumOccurrences
                else { break }
                if application.matches(dfName: information.dfName) {
                    if isBlocked {
                        list.foundBlocked = true
                    } else {
                        list.add(candidate(information, application))
                    }
                }
                if information.dfName == application.aid { break }
                response = try await session.select(application.aid, next: true)
            }
        }
        return list
    }

    private func candidate(
        _ information: FileControlInformation, _ application: TerminalApplication
    ) -> ApplicationCandidate {
        ApplicationCandidate(
            dfName: information.dfName, terminalApplication: application, name: name(information),
            priorityIndicator: information.value(EMVTag.priorityIndicator))
    }

    private func name(_ information: FileControlInformation) -> ApplicationName {
        ApplicationName(
            label: information.value(EMVTag.applicationLabel), preferredName: information.value(EMVTag.preferredName),
            codeTableIndex: information.value(EMVTag.issuerCodeTableIndex),
            capabilities: terminal.additionalCapabilities)
    }

    // MARK: Final selection (§12.4)

    /// Selects the application that the cardholder chooses, or the one with the highest priority. If the card refuses
    /// it, removes it from the list and chooses again.
    func selectOne(of list: inout CandidateList) async throws(KernelStop) -> SelectedApplication {
        while let candidate = try await choose(from: list) {
            let response = try await session.select(candidate.dfName)
            if response.status == .success, let information = FileControlInformation(response.data),
                information.dfName == candidate.dfName
            {
                let final = name(information)
                return SelectedApplication(
                    candidate: candidate, information: information,
                    name: ApplicationName(final, orElse: candidate.name))
            }
            if response.status == .selectedFileInvalidated { list.foundBlocked = true }
            list.remove(candidate)
        }
        throw .failed(list.foundBlocked ? .applicationBlocked : .noApplication)
    }

    private func choose(from list: CandidateList) async throws(KernelStop) -> ApplicationCandidate? {
        let candidates = list.candidates
        guard terminal.offersApplicationChoice else { return candidates.first { !$0.needsConfirmation } }
        guard let first = candidates.first else { return nil }
        guard candidates.count > 1 || first.needsConfirmation else { return first }
        session.observe(.choosingApplication)
        let answer = await cardholder.chooseApplication(candidates.map(\.choice))
        guard let answer, candidates.indices.contains(answer) else { throw .stoppedAtTerminal }
        return candidates[answer]
    }
}

/// The application used in a transaction, with the response to its SELECT.
struct SelectedApplication: Sendable {
    let candidate: ApplicationCandidate
    let information: FileControlInformation
    /// The names from the final SELECT, completed with those from the directory.
    let name: ApplicationName

    /// Up to four ISO 639-1 codes in lower case (5F2D; EMV Book 4 §11.1); empty if the card states none, or no letters.
    var languagePreference: [String] {
        LanguagePreference.codes(information.value(EMVTag.languagePreference) ?? [])
    }
}

/// The languages that a card prefers (tag 5F2D; EMV Book 4 §11.1).
public enum LanguagePreference {
    /// Returns up to four ISO 639-1 codes in lower case, the preferred one first; empty unless `bytes` are pairs of
    /// ASCII letters.
    public static func codes(_ bytes: [UInt8]) -> [String] {
        guard bytes.count <= 8, bytes.count.isMultiple(of: 2),
            bytes.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) && $0 < 0x80 })
        else { return [] }
        return stride(from: 0, to: bytes.count, by: 2).map { start in
            String(decoding: bytes[start..<(start + 2)].map { $0 | 0x20 }, as: UTF8.self)
        }
    }
}

/// The response to SELECT: template 6F with 84 and A5 (EMV Book 1 §11.3.4).
struct FileControlInformation {
    let dfName: [UInt8]
    /// The data objects of the proprietary template A5.
    let proprietary: [BERTLV]

    /// - Returns: nil unless the response is exactly one template 6F with a DF name of 5...16 bytes and a proprietary
    ///   template.
    init?(_ response: [UInt8]) {
        guard let objects = try? BERTLV.parse(response), objects.count == 1, let template = objects.first,
            template.tag == EMVTag.fileControlInformation,
            let dfName = template.children.first(where: { $0.tag == EMVTag.dfName })?.value,
            (5...16).contains(dfName.count),
            let proprietary = template.children.first(where: { $0.tag == EMVTag.fciProprietary })
        else { return nil }
        (self.dfName, self.proprietary) = (dfName, proprietary.children)
    }

    /// Returns the value of a data object directly in A5.
    func value(_ tag: BERTag) -> [UInt8]? { proprietary.first { $0.tag == tag }?.value }
}
