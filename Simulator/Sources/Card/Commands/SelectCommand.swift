internal import SmartCard

/// SELECT by name (EMV Book 1 §11.3).
extension CardOperatingSystem {
    /// `1PAY.SYS.DDF01`, the payment system environment.
    static let directoryName = Array("1PAY.SYS.DDF01".utf8)
    /// Short file identifier of the payment system directory.
    static let directoryFile: UInt8 = 1

    mutating func select(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0x04, command.p2 == 0x00 || command.p2 == 0x02 else {
            return .failed(.incorrectParameters)
        }
        guard (1...16).contains(command.data.count) else { return .failed(.wrongLength) }
        guard !isBlocked else { return .failed(.functionNotSupported) }
        let isNext = command.p2 == 0x02

        if hasPSE, !isNext, command.data == Self.directoryName {
            session = CardSession(selection: .directory)
            return .succeeded(directoryInformation)
        }
        // "Next" goes on behind the application that is selected, in the order on the card.
        let start = isNext ? (selectedIndex.map { $0 + 1 } ?? 0) : 0
        guard
            let index = applications.indices.dropFirst(start).first(where: {
                applications[$0].profile.aid.starts(with: command.data)
            })
        else { return .failed(.fileNotFound) }
        session = CardSession(selection: .application(index))
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
