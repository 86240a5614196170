public import CCID
import Determinism
import EntryPoint
public import SmartCard

/// The field of a contactless slot, as any reader has it.
public protocol ContactlessField: Sendable {
    /// Switches the field on or off. Switching off works in a canceled task, too. A card in the field loses its power.
    ///
    /// - Throws: ``UnderlyingError``
    func switchField(on isOn: Bool) async throws(UnderlyingError)

    /// Waits until the reader sees a card, or until it sees none.
    ///
    /// - Parameters:
    ///   - present: Whether to wait for a card, or for its removal.
    ///   - timeout: The longest wait; the field is looked at once in any case.
    /// - Returns: Whether it happened in time.
    /// - Throws: ``UnderlyingError``
    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool

    /// Activates the card in the field.
    ///
    /// - Throws: ``UnderlyingError``
    func activate() async throws(UnderlyingError) -> ActivatedCard

    /// Whether the reader can tell that several cards are in its field.
    var tellsCollisions: Bool { get }

    /// Returns whether several cards are in the field; false where the reader can't tell.
    ///
    /// - Throws: ``UnderlyingError``
    func seesSeveralCards() async throws(UnderlyingError) -> Bool

    /// Tells something with the lights and the buzzer of the reader, if it has commands for them. A failure does not
    /// matter.
    func indicate(_ indication: ContactlessIndication) async
}

extension ContactlessField {
    /// Tells nothing.
    public func indicate(_ indication: ContactlessIndication) async {}
}

extension ContactlessIndication {
    /// The indication of a message; nil if it changes nothing.
    init?(_ message: UserInterfaceRequest) {
        switch message.status {
        case .readyToRead: self = .ready
        case .cardReadSuccessfully: self = .cardRead
        case .processingError: self = .failed
        case .idle, .notReady: self = .off
        default: return nil
        }
    }
}

/// A card without contacts that has been activated.
public struct ActivatedCard: Sendable {
    public let channel: any CardChannel
    /// What the reader tells about the card; nil if it tells nothing.
    public let answer: ContactlessATR?

    /// Takes the card's channel, and the answer that the reader made for it.
    public init(_ channel: any CardChannel, answer: ContactlessATR?) { (self.channel, self.answer) = (channel, answer) }
}

/// What happened in a field.
enum FieldEvent: Sendable {
    /// One card is there, and has its power.
    case card(any CardChannel)
    /// Several cards are there, and none was chosen.
    case collision
    /// After a collision, no more than one card is left.
    case collisionEnded
}

/// Watches a field for cards and for their removal.
struct FieldWatch: Sendable {
    let field: any ContactlessField
    let time: any TimeSource

    /// The time between two looks at a field in which a card cannot be used, and two questions about collisions.
    private static let interval = Duration.milliseconds(200)

    /// Waits for something to happen.
    ///
    /// A card that only stores data, or that leaves before it is activated, counts as none.
    ///
    /// - Parameters:
    ///   - isCrowded: Whether several cards were in the field.
    ///   - timeout: The longest wait.
    /// - Returns: Nil when nothing happened in time.
    /// - Throws: ``UnderlyingError``
    func next(isCrowded: Bool, timeout: Duration) async throws(UnderlyingError) -> FieldEvent? {
        let start = time.reading()
        while true {
            let left = max(.zero, timeout - time.elapsed(since: start))
            let isCollision = try await field.seesSeveralCards()
            if isCollision, !isCrowded { return .collision }
            if isCrowded, !isCollision { return .collisionEnded }
            var mustPause = isCrowded
            if !isCrowded {
                let look = field.tellsCollisions ? min(left, Self.interval) : left
                mustPause = try await field.waitForCard(present: true, timeout: look)
                if mustPause, let card = try await activate() { return .card(card) }
            }
            guard time.elapsed(since: start) < timeout else { return nil }
            guard mustPause else { continue }
            do throws(CancellationError) { try await time.sleep(for: Self.interval) } catch {
                throw .commandCanceled(from: .app)
            }
        }
    }

    /// Returns the card's channel; nil for a card that can't be used, or has left.
    private func activate() async throws(UnderlyingError) -> (any CardChannel)? {
        do throws(UnderlyingError) {
            let card = try await field.activate()
            if case .storage = card.answer { return nil }
            return card.channel
        } catch {
            switch error {
            case .cardRemoved, .cardInsertNotRead: return nil
            default: throw error
            }
        }
    }

    /// Returns the error of an exchange for Entry Point and kernels: a card that is gone is removed, whatever the
    /// reader said first, and one that is still there did not answer.
    func fault(after error: CardChannelError) async -> CardChannelError {
        switch error {
        case .cardMute, .timedOut, .cardRemoved:
            let isGone = try? await field.waitForCard(present: false, timeout: .zero)
            return isGone == true || error == .cardRemoved ? .cardRemoved : error
        case .readerUnavailable, .protocolViolation, .notSupported, .canceled: return error
        }
    }
}
