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

    /// ACS ACR1252U and its family: `E0 00 00 29 01` lights (02 is green; the color of 01 differs by model), and
    /// `E0 00 00 28 01` buzzer in 10 ms.
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

    /// Tells something with lights and buzzer. A reader without commands for it, or one that refuses them, tells
    /// nothing: a payment does not depend on it.
    ///
    /// - Parameters:
    ///   - indication: what to tell.
    ///   - channel: the card that has power; nil without one.
    ///   - slot: the contactless slot.
    public func indicate(
        _ indication: ContactlessIndication, through channel: (any CardChannel)? = nil, slot: UInt8 = 0
    ) async {
        guard let indicators else { return }
        for command in indicators.commands(for: indication) {
            if indicators.goesThroughChannel, let channel {
                guard
                    let apdu = try? CommandAPDU(
                        cla: command[0], ins: command[1], p1: command[2], p2: command[3], data: Array(command[5...]),
                        expectedLength: nil)
                else { return }
                _ = try? await channel.transmit(apdu)
            } else {
                _ = try? await escape(command, slot: slot)
            }
        }
    }
}
