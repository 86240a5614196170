import CardSecrets
public import Determinism
import HTTPInterface
public import Money
public import Payments
public import Sessions
import Simulator
import Synchronization

/// A session that another part of this process drives, such as the terminal of a till. Clients see it and steer it as
/// they do their own: its cardholder is a person, and its devices can have faults. It does not end for idleness, and it
/// can't be repeated, because its payments are no requests of the service.
public struct DrivenSession: Sendable {
    /// The session did not do what it should.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, for people.
        public let description: String

        init(_ error: APIError) { description = error.message }

        init(_ description: String) { self.description = description }
    }

    private let service: SimulationService
    /// The ID by which clients name it. A reset session keeps it.
    public let id: String

    init(_ service: SimulationService, id: String) { (self.service, self.id) = (service, id) }

    /// Whether it is there: a client may delete it.
    public var isOpen: Bool { (try? service.session(id)) != nil }

    /// The time in the session; nil when it is not there.
    public var now: Timestamp? { (try? service.session(id))?.session.now }

    /// The action that a person has to take now; nil for none.
    public var need: SessionNeed? {
        guard let served = try? service.session(id), served.operation != nil else { return nil }
        return served.session.need
    }

    /// A card that is ready for a payment, which may not ask for one yet.
    public final class Hand: Sendable {
        private let card = Mutex<PlannedCard?>(nil)

        /// Makes one without a card.
        public init() {}

        /// Takes a card into the hand.
        public func hold(_ next: PlannedCard) { card.withLock { $0 = next } }

        fileprivate func take() -> PlannedCard? {
            card.withLock { card in
                defer { card = nil }
                return card
            }
        }
    }

    /// Takes a payment whose cardholder is a person, and waits for its end, however long that takes.
    ///
    /// - Parameters:
    ///   - amount: the amount.
    ///   - isHeld: whether it is only held, and captured later.
    ///   - hand: may have the card of this payment, which is presented as soon as the payment asks for it.
    ///   - onChange: called when something happened in the session.
    /// - Returns: the payment, whose result may be unknown.
    /// - Throws: ``Failure``, also when the session ends before.
    public func pay(
        _ amount: Money, isHeld: Bool, hand: Hand = Hand(), onChange: @Sendable () -> Void
    ) async throws(Failure) -> Payment {
        let operation = Operation(.payment)
        let paid = Mutex<Payment?>(nil)
        let options = PaymentOptions(isByHand: true, isHeld: isHeld)
        do throws(APIError) {
            let served = try service.session(id)
            let events = try served.stream(after: served.session.events.count, time: service.time)
            _ = try await served.begin(operation) { session async throws(SimulatedSessionError) in
                let payment = try await session.takePayment(amount, options)
                paid.withLock { $0 = payment }
            }
            if operation.isRunning {
                onChange()
                // Fails in a pause, whose end is a change. The payment goes on in any case.
                try? await present(hand, operation)
                for await _ in events {
                    guard operation.isRunning else { break }
                    onChange()
                    try? await present(hand, operation)
                }
            }
        } catch { throw Failure(error) }
        if let payment = paid.withLock({ $0 }) { return payment }
        throw Failure(operation.failure.map { "\($0)" } ?? "the session has ended")
    }

    /// Performs acts, then lets the payment continue until a person is needed.
    ///
    /// - Throws: ``Failure``
    public func act(_ acts: SessionAct...) async throws(Failure) {
        do throws(APIError) { try await service.session(id).act(acts) } catch { throw Failure(error) }
    }

    /// Carries out a step that needs no person and begins when no payment runs.
    ///
    /// - Parameters:
    ///   - name: the step, for errors.
    ///   - body: the work.
    /// - Returns: the value of `body`.
    /// - Throws: ``Failure``
    public func step<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (SimulatedSession) async throws(SimulatedSessionError) -> Value
    ) async throws(Failure) -> Value {
        do throws(APIError) { return try await service.session(id).step(name, body) } catch { throw Failure(error) }
    }

    /// Lets the cardholder present a card, enter a PIN, and take the card back, as far as the payment asks for it. When
    /// the payment does not ask yet, ``pay(_:isHeld:hand:onChange:)`` presents the card as soon as it does.
    ///
    /// - Parameters:
    ///   - card: a card of the session.
    ///   - hand: the one of the payment, which may not have begun.
    /// - Throws: ``Failure``
    public func present(_ card: PlannedCard, in hand: Hand) async throws(Failure) {
        hand.hold(card)
        // Looked at afterward: what asks from now on finds the card in the hand.
        guard let operation = (try? service.session(id))?.operation else { return }
        do throws(APIError) { try await present(hand, operation) } catch { throw Failure(error) }
    }

    private func present(_ hand: Hand, _ operation: Operation) async throws(APIError) {
        guard need != nil, let card = hand.take() else { return }
        do throws(APIError) { try await present(card, operation, try service.session(id)) } catch {
            hand.hold(card)
            throw error
        }
    }

    private func present(
        _ card: PlannedCard, _ operation: Operation, _ served: ServedSession
    ) async throws(APIError) {
        var pins = 0
        // More prompts than a payment has. The next payment is none of this card's.
        for _ in 0..<50 where operation.isRunning {
            switch need {
            case .card: try await served.act([.insert(card: card.name)])
            case .pin:
                let entry = card.profile.cardholder.pinEntry(attempt: pins)
                pins += 1
                guard case .digits(let digits)? = entry else {
                    try await served.act([.press(.cancel)])
                    continue
                }
                var keys = digits.bytes.withUnsafeBytes { bytes in bytes.map { SimulatedReaderKey.digit($0) } }
                keys.append(.confirmation)
                for key in keys { try await served.act([.press(key)]) }
            case .removal: try await served.act([.removeCard()])
            case .application:
                _ = try await served.look("choose") { session async throws(SimulatedSessionError) in session.choose(0) }
            case nil: return
            }
        }
    }

    /// Ends the session.
    public func close() async {
        guard let served = try? service.session(id) else { return }
        await service.delete(served)
    }
}

extension SimulationService {
    /// Opens a session that the caller drives.
    ///
    /// - Parameter plan: its initial state. Its first reader is connected.
    /// - Returns: the session.
    /// - Throws: ``DrivenSession/Failure``, also when there are too many sessions.
    public func openSession(_ plan: SessionPlan) async throws(DrivenSession.Failure) -> DrivenSession {
        guard store == nil else {
            throw DrivenSession.Failure("a session of a till can't be stored, because its payments are no requests")
        }
        do throws(APIError) {
            return DrivenSession(self, id: try await create(PlanBody(driven: plan)).id)
        } catch { throw DrivenSession.Failure(error) }
    }
}
