internal import Hardware

extension ProcessLife {
    /// Writes down what a reader tells.
    ///
    /// - Parameters:
    ///   - service: who tells.
    ///   - isWanted: gets every event before it is written down; false leaves it out.
    /// - Returns: the tasks that do it, until they are cancelled.
    func follow(
        _ service: any CardReaderService, isWanted: @escaping @Sendable (CardReaderEvent) -> Bool
    ) -> [Task<Void, Never>] {
        [
            Task {
                for await event in await service.readerEvents {
                    guard isWanted(event) else { continue }
                    let (kind, detail) = SessionEvent.words(event)
                    note(kind, detail)
                }
            },
            Task {
                for await state in await service.reconnectionStates {
                    if let words = SessionEvent.words(state) { note(.reconnection, words) }
                }
            },
            Task {
                for await state in await service.softwareUpdateEvents {
                    if let words = SessionEvent.words(state) { note(.update, words) }
                }
            },
        ]
    }
}
