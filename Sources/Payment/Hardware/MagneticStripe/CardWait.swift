import Determinism
import MagneticStripe

/// Waits for a card on all open inputs.
struct CardWait: Sendable {
    enum Presented: Sendable {
        case inserted
        case swiped(Swipe)
        case tapped(FieldEvent)
    }

    private enum News: Sendable {
        case presented(Presented)
        case nothing
        /// The stripe reader or the field failed; the chip reader may still work.
        case notHere(UnderlyingError)
        case failed(UnderlyingError)
    }

    let reader: any CardReaderSession
    let time: any TimeSource
    let timeout: Duration
    /// The contactless side of the payment; nil when there is none.
    var field: ContactlessRun?

    /// The extra time for the last slot query, which starts at the deadline.
    private static let lastLook = Duration.seconds(1)

    /// Waits for a card.
    ///
    /// - Parameters:
    ///   - inputs: The open inputs; at least one.
    ///   - asked: The reading of the clock when the card was requested: someone may set the clock meanwhile.
    /// - Returns: The first card presented. A later one is ignored.
    /// - Throws: ``UnderlyingError``
    func next(_ inputs: CardReaderInput, since asked: Duration) async throws(UnderlyingError) -> Presented {
        guard !inputs.isDisjoint(with: [.swipe, .tap]) else { return try await card(insertion(since: asked)) }
        let news = await withTaskGroup(of: News.self) { group in
            if inputs.contains(.swipe) { group.addTask { await swipe(since: asked) } }
            if inputs.contains(.tap), let field { group.addTask { await tap(field, since: asked) } }
            // One task keeps the deadline: the slot query, or otherwise a clock.
            group.addTask { inputs.contains(.insert) ? await insertion(since: asked) : await deadline() }
            var news = News.nothing
            while let next = await group.next() {
                news = next
                // A disconnected stripe reader does not affect the chip reader, and neither does an empty field.
                if case .notHere = next, inputs.contains(.insert) { continue }
                break
            }
            group.cancelAll()
            return news
        }
        return try card(news)
    }

    private func card(_ news: News) throws(UnderlyingError) -> Presented {
        switch news {
        case .presented(let presented): return presented
        case .nothing: throw .cardReadTimeOut
        case .notHere(let error), .failed(let error): throw error
        }
    }

    private func swipe(since asked: Duration) async -> News {
        do throws(UnderlyingError) {
            let swipe = try await reader.swipe()
            return isInTime(asked) ? .presented(.swiped(swipe)) : .nothing
        } catch {
            return .notHere(error)
        }
    }

    private func tap(_ field: ContactlessRun, since asked: Duration) async -> News {
        do throws(UnderlyingError) {
            let event = try await field.next(timeout: timeout)
            guard let event, isInTime(asked) else { return .notHere(.cardReadTimeOut) }
            return .presented(.tapped(event))
        } catch {
            return .notHere(error)
        }
    }

    private func insertion(since asked: Duration) async -> News {
        do throws(UnderlyingError) {
            let isPresent = try await reader.waitForCard(present: true, timeout: timeout)
            return isPresent && isInTime(asked) ? .presented(.inserted) : .nothing
        } catch {
            return .failed(error)
        }
    }

    /// Whether the deadline has not passed, independent of the waits' own timers.
    private func isInTime(_ asked: Duration) -> Bool {
        time.elapsed(since: asked) < timeout + Self.lastLook
    }

    private func deadline() async -> News {
        do throws(CancellationError) {
            try await time.sleep(for: timeout)
            return .nothing
        } catch {
            return .failed(.commandCanceled(from: .app))
        }
    }
}
