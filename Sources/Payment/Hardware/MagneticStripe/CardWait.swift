import Determinism
import MagneticStripe

/// Waits for a card on all open inputs.
struct CardWait: Sendable {
    enum Presented: Sendable {
        case inserted
        case swiped(Swipe)
    }

    private enum News: Sendable {
        case presented(Presented)
        case nothing
        /// The stripe reader failed; the chip reader may still work.
        case noStripe(UnderlyingError)
        case failed(UnderlyingError)
    }

    let reader: any CardReaderSession
    let time: any TimeSource
    let timeout: Duration

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
        guard inputs.contains(.swipe) else { return try await card(insertion(since: asked)) }
        let news = await withTaskGroup(of: News.self) { group in
            group.addTask { await swipe(since: asked) }
            // One task keeps the deadline: the slot query, or otherwise a clock.
            group.addTask { inputs.contains(.insert) ? await insertion(since: asked) : await deadline() }
            var news = News.nothing
            while let next = await group.next() {
                news = next
                // A disconnected stripe reader does not affect the chip reader.
                if case .noStripe = next, inputs.contains(.insert) { continue }
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
        case .noStripe(let error), .failed(let error): throw error
        }
    }

    private func swipe(since asked: Duration) async -> News {
        do throws(UnderlyingError) {
            let swipe = try await reader.swipe()
            return isInTime(asked) ? .presented(.swiped(swipe)) : .nothing
        } catch {
            return .noStripe(error)
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
