/// Looks for readers at the sources, and knows which source a reader came from.
actor ReaderDiscovery {
    private struct Search {
        let method: CardReaderDiscoveryMethod
        let sources: [any CardReaderSource]
        var watching: [Task<Void, Never>] = []
    }

    private let sources: [any CardReaderSource]
    private let discovered = Broadcast<[CardReader]>(current: [])
    private var search: Search?
    /// Looks at the sources, counted, so that the answer to an older one does not replace a newer one's.
    private var looks = (begun: 0, shown: 0)
    private var found: [CardReader.ID: any CardReaderSource] = [:]

    init(_ sources: [any CardReaderSource]) { self.sources = sources }

    deinit {
        for task in search?.watching ?? [] { task.cancel() }
    }

    /// The readers that are there, while a search runs; empty when none does.
    nonisolated var readers: AsyncStream<[CardReader]> { discovered.subscribe() }

    nonisolated func supports(_ readerType: CardReaderType, foundBy method: CardReaderDiscoveryMethod) -> Bool {
        sources.contains { $0.discoveryMethod == method && $0.readerTypes.contains(readerType) }
    }

    /// Begins to look for readers; a search by another method ends.
    ///
    /// - Throws: ``UnderlyingError``
    func start(_ method: CardReaderDiscoveryMethod) async throws(UnderlyingError) {
        guard search?.method != method else { return }
        let chosen = sources.filter { $0.discoveryMethod == method }
        guard !chosen.isEmpty else {
            throw .featureNotAvailable("readers are not looked for by \(method.rawValue) here")
        }
        cancel()
        var begun = Search(method: method, sources: chosen)
        for source in chosen {
            let changes = source.changes()
            begun.watching.append(
                Task { [weak self] in
                    for await _ in changes {
                        // A source that cannot be looked at now will tell of the next change.
                        try? await self?.look()
                    }
                })
        }
        search = begun
        do throws(UnderlyingError) {
            try await look()
        } catch {
            cancel()
            throw error
        }
    }

    /// Ends the search. What was found can still be opened.
    func cancel() {
        for task in search?.watching ?? [] { task.cancel() }
        search = nil
        discovered.send([])
    }

    /// Ends the search and forgets what was found.
    func clear() {
        cancel()
        found = [:]
    }

    /// Notes a reader that is another one than it was found as.
    func adopt(_ reader: CardReader, from source: any CardReaderSource) { found[reader.id] = source }

    /// Where a reader was found; nil when it was not.
    func source(of reader: CardReader) -> (any CardReaderSource)? { found[reader.id] }

    private func look() async throws(UnderlyingError) {
        looks.begun += 1
        let look = looks.begun
        var all: [(reader: CardReader, source: any CardReaderSource)] = []
        for source in search?.sources ?? [] {
            for reader in try await source.readers() { all.append((reader, source)) }
        }
        guard search != nil, look > looks.shown else { return }
        looks.shown = look
        found = [:]
        for (reader, source) in all { found[reader.id] = source }
        discovered.send(all.map(\.reader))
    }
}
