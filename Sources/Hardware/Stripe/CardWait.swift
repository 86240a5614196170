internal import Determinism
internal import MSR

/// Waits for a card, however it is presented.
struct CardWait: Sendable {
    enum Presented: Sendable {
        case inserted
        case swiped(Swipe)
    }

    private enum News: Sendable {
        case presented(Presented)
        case nothing
        /// The stripe reader failed; the other way is still open.
        case noStripe(UnderlyingError)
        case failed(UnderlyingError)
    }

    let reader: any CardReaderSession
    let time: any TimeSource
    let timeout: Duration

    /// The last look into the slot comes at the deadline itself, and takes a moment.
    private static let lastLook = Duration.seconds(1)

    /// Waits for a card.
    ///
    /// - Parameters:
    ///   - inputs: the ways that are open; at least one.
    ///   - asked: when the card was asked for.
    /// - Returns: the first card that came. Another one that came meanwhile is not taken.
    /// - Throws: ``UnderlyingError``
    func next(_ inputs: CardReaderInput, since asked: Timestamp) async throws(UnderlyingError) -> Presented {
        guard inputs.contains(.swipe) else { return try await card(insertion(since: asked)) }
        let news = await withTaskGroup(of: News.self) { group in
            group.addTask { await swipe(since: asked) }
            // One of them keeps the deadline: the look into the slot, or else a clock.
            group.addTask { inputs.contains(.insert) ? await insertion(since: asked) : await deadline() }
            var news = News.nothing
            while let next = await group.next() {
                news = next
                // A stripe reader that was pulled out leaves the chip reader as it is.
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

    private func swipe(since asked: Timestamp) async -> News {
        do throws(UnderlyingError) {
            let swipe = try await reader.swipe()
            return isInTime(asked) ? .presented(.swiped(swipe)) : .nothing
        } catch {
            return .noStripe(error)
        }
    }

    private func insertion(since asked: Timestamp) async -> News {
        do throws(UnderlyingError) {
            let isPresent = try await reader.waitForCard(present: true, timeout: timeout)
            return isPresent && isInTime(asked) ? .presented(.inserted) : .nothing
        } catch {
            return .failed(error)
        }
    }

    /// Whether what came is not too late, however the waits that brought it were counted.
    private func isInTime(_ asked: Timestamp) -> Bool {
        Duration.milliseconds(time.now().milliseconds - asked.milliseconds) < timeout + Self.lastLook
    }

    private func deadline() async -> News {
        do throws(CancellationError) {
            try await time.sleep(for: timeout)
            return .nothing
        } catch {
            return .failed(.commandCancelled(from: .app))
        }
    }
}
