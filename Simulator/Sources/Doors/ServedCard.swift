internal import SmartCard

/// A card in a reader's contacts as a program above the reader sees it: a command's bytes go in, an answer's
/// bytes come out, and the time that it took is told.
///
/// * A card that begins with T=0 is served as a reader of TPDU level serves it: 61xx and 6Cxx go to the program,
///   which sends GET RESPONSE or the command again. An Le behind command data stays here, since T=0 has no place for
///   it; a command of a header alone gets P3 = 00 (ISO/IEC 7816-3 §12.2).
/// * A card that begins with T=1 takes whole commands and gives whole answers.
///
/// A protocol that the program would rather have cannot be negotiated: neither door tells of it.
struct ServedCard: Sendable {
    struct Answer: Hashable, Sendable {
        /// Empty when the card said nothing.
        var bytes: [UInt8]
        /// How long the card took.
        var after: Duration = .zero
        /// Whether the card is out of the reader, now that this has been said.
        var isLast = false
    }

    private static let wrongLength: [UInt8] = [0x67, 0x00]
    private static let instructionNotSupported: [UInt8] = [0x6D, 0x00]
    /// The longest T=1 information field that the contacts take.
    private static let informationFieldSize: UInt8 = 254

    private var contacts: SimulatedCardContacts
    /// The reader's half of T=1, from the first command on.
    private var device: T1InterfaceDevice?
    private var lastAnswerToReset: [UInt8]?

    init(_ card: any SimulatedCard) { contacts = SimulatedCardContacts(card, voltages: .all) }

    var isPowered: Bool { contacts.isPowered }

    /// Power and reset; warm when the card has power.
    ///
    /// - Returns: the answer to reset, empty from a mute card.
    mutating func reset() -> [UInt8] {
        device = nil
        let answer = contacts.activate(.volts5)
        lastAnswerToReset = answer
        return answer
    }

    mutating func powerOff() {
        device = nil
        contacts.deactivate()
    }

    /// The last answer to reset. A card that was never reset is, and loses its power again.
    mutating func answerToReset() -> [UInt8] {
        if let lastAnswerToReset { return lastAnswerToReset }
        let answer = reset()
        powerOff()
        return answer
    }

    /// A command, whatever its bytes.
    mutating func exchange(_ command: [UInt8]) -> Answer {
        guard isPowered else { return Answer(bytes: []) }
        var exchange = CardExchange()
        do throws(CardExchange.Failure) {
            let answer =
                contacts.transmission.firstProtocol == 1
                ? try overT1(command, &exchange) : try overT0(command, &exchange)
            // What a card says that has left already is not heard.
            return Answer(
                bytes: contacts.departure == .beforeAnswer ? [] : answer, after: exchange.elapsed,
                isLast: contacts.departure != nil)
        } catch {
            return Answer(bytes: [], after: exchange.elapsed, isLast: contacts.departure != nil)
        }
    }

    private mutating func overT0(
        _ command: [UInt8], _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard command.count >= 4 else { return Self.wrongLength }
        // In T=0 these would be taken for status bytes.
        guard ![0x60, 0x90].contains(command[1] & 0xF0) else { return Self.instructionNotSupported }
        guard command.count > 5 else {
            return try exchange.t0(command.count == 4 ? command + [0x00] : command, &contacts)
        }
        let end = 5 + Int(command[4])
        guard end > 5, command.count == end || command.count == end + 1 else { return Self.wrongLength }
        return try exchange.t0(Array(command[..<end]), &contacts)
    }

    private mutating func overT1(
        _ command: [UInt8], _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        var device: T1InterfaceDevice
        if let begun = self.device {
            device = begun
        } else {
            device = T1InterfaceDevice(
                cardInformationFieldSize: contacts.transmission.informationFieldSize,
                errorDetection: contacts.transmission.errorDetection)
            let request = device.negotiateInformationFieldSize(Self.informationFieldSize)
            _ = try exchange.run(&device, request, &contacts)
        }
        defer { self.device = device }
        let first = device.transmit(command)
        return try exchange.run(&device, first, &contacts)
    }
}
