public import SmartCard

/// A thing that a contactless reader tells with its lights and its buzzer.
public enum ContactlessIndication: String, CaseIterable, Hashable, Sendable {
    /// A card may be held to the reader.
    case ready
    /// The card may be taken away.
    case cardRead
    /// The card was not read, or has to come again.
    case failed
    /// Nothing is expected.
    case off
}

/// The vendor commands for the lights and the buzzer of a contactless reader.
///
/// Tones are shorter than those of Book A, because a reader answers only when a tone is over.
public struct ContactlessIndicators: Hashable, Sendable {
    /// The name of the commands in the documentation.
    public let name: String
    /// Whether the commands are APDUs that go through the card's channel while a card has power (PC/SC part 3, class
    /// FF), and through Escape otherwise.
    public let goesThroughChannel: Bool
    private let commands: [ContactlessIndication: [[UInt8]]]

    private init(_ name: String, goesThroughChannel: Bool, _ commands: [ContactlessIndication: [[UInt8]]]) {
        (self.name, self.goesThroughChannel, self.commands) = (name, goesThroughChannel, commands)
    }

    /// Returns the commands of an indication, in the order in which they are sent.
    public func commands(for indication: ContactlessIndication) -> [[UInt8]] { commands[indication] ?? [] }

    /// ACS ACR122U: `FF 00 40 P2 04 T1 T2 N B`. P2 has the final states (01 red, 02 green) and which of them change
    /// (04, 08); T1 and T2 are in 100 ms, N repetitions, and B the buzzer: 01 during T1.
    static let acr122 = ContactlessIndicators(
        "FF 00 40", goesThroughChannel: true,
        [
            .ready: [[0xFF, 0x00, 0x40, 0x0E, 0x04, 0x00, 0x00, 0x00, 0x00]],
            .cardRead: [[0xFF, 0x00, 0x40, 0x0E, 0x04, 0x02, 0x00, 0x01, 0x01]],
            .failed: [[0xFF, 0x00, 0x40, 0x0D, 0x04, 0x01, 0x01, 0x02, 0x01]],
            .off: [[0xFF, 0x00, 0x40, 0x0C, 0x04, 0x00, 0x00, 0x00, 0x00]],
        ])

    /// ACS ACR1252U and its family: `E0 00 00 29 01` lights (02 is green; the color of 01 differs by model, and is red
    /// in ACR1281U), and `E0 00 00 28 01` buzzer in 10 ms.
    static let acr1252 = ContactlessIndicators(
        "E0 00 00 28/29", goesThroughChannel: false,
        [
            .ready: [[0xE0, 0x00, 0x00, 0x29, 0x01, 0x02]],
            .cardRead: [[0xE0, 0x00, 0x00, 0x29, 0x01, 0x02], [0xE0, 0x00, 0x00, 0x28, 0x01, 0x14]],
            .failed: [[0xE0, 0x00, 0x00, 0x29, 0x01, 0x01], [0xE0, 0x00, 0x00, 0x28, 0x01, 0x0A]],
            .off: [[0xE0, 0x00, 0x00, 0x29, 0x01, 0x00]],
        ])
}

extension CCIDReader {
    /// The commands for the lights and the buzzer of the contactless slots; nil where no public document has them.
    public nonisolated var indicators: ContactlessIndicators? { interface.contactless.indicators }

    /// Tells something with lights and buzzer, also in a canceled task. A payment does not depend on it: a reader that
    /// refuses a command is reported once (``CCIDRecoveryStep/indicatorsFailed(slot:)``), and one that does not answer
    /// gets no further commands for its lights until it is opened again. Neither is recovered.
    ///
    /// - Parameters:
    ///   - indication: what to tell.
    ///   - channel: the card that has power; nil without one.
    ///   - slot: the contactless slot.
    public func indicate(
        _ indication: ContactlessIndication, through channel: (any CardChannel)? = nil, slot: UInt8 = 0
    ) async {
        guard let indicators, !indicatorHealth.isGivenUp else { return }
        await Task {
            for command in indicators.commands(for: indication) where !indicatorHealth.isGivenUp {
                do throws(CCIDError) {
                    if indicators.goesThroughChannel, let channel {
                        try await indicate(command, through: channel)
                    } else {
                        try await tryEscape(command, slot: slot, wait: timing.indication)
                    }
                } catch {
                    if indicatorHealth.note(error) { onRecovery(.indicatorsFailed(slot: slot)) }
                }
            }
        }.value
    }

    private func indicate(_ command: [UInt8], through channel: any CardChannel) async throws(CCIDError) {
        guard
            let apdu = try? CommandAPDU(
                cla: command[0], ins: command[1], p1: command[2], p2: command[3], data: Array(command[5...]),
                expectedLength: nil)
        else { return }
        guard let card = channel as? CCIDCardChannel, card.reader === self else {
            _ = try? await channel.transmit(apdu)
            return
        }
        let status = try await tryTransmit(apdu, on: card, wait: timing.indication)
        // SW2 has the states of the lights.
        guard status.sw1 == 0x90 else { throw .failed(.escape, .commandNotSupported) }
    }
}

/// What became of a reader's commands for lights and buzzer since it was opened.
struct IndicatorHealth: Hashable {
    /// Whether the reader did not answer one. It might not answer the next one either, and each takes time.
    private(set) var isGivenUp = false
    private var isReported = false

    /// Notes a failed command.
    ///
    /// - Returns: whether it has to be reported: it is the first one that is the fault of the lights.
    mutating func note(_ error: CCIDError) -> Bool {
        switch error {
        // The card has left, or the reader ends.
        case .cardAbsent, .cardMute, .cardNotPowered, .failed(_, .cardMute): return false
        case .canceled, .readerGone, .readerDead, .closed, .suspended, .hardwareFault: return false
        case .failed: break
        default: isGivenUp = true
        }
        defer { isReported = true }
        return !isReported
    }
}
