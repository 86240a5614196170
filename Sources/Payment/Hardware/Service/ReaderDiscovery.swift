import Concurrency

/// Finds the readers of all sources, and records the source of each.
actor ReaderDiscovery {
    private struct Search {
        let method: CardReaderDiscoveryMethod
        let sources: [any CardReaderSource]
        var watching: [Task<Void, Never>] = []
    }

    private let sources: [any CardReaderSource]
    private let discovered = Broadcast<[CardReader]>(current: [])
    private var search: Search?
    /// Numbers the queries of the sources, so that the result of an older query does not replace that of a newer one.
    private var looks = (begun: 0, shown: 0)
    private var found: [CardReader.ID: any CardReaderSource] = [:]

    init(_ sources: [any CardReaderSource]) { self.sources = sources }

    deinit {
        for task in search?.watching ?? [] { task.cancel() }
    }

    /// The readers that are present, while a search runs; empty otherwise.
    nonisolated var readers: AsyncStream<[CardReader]> { discovered.subscribe() }

    nonisolated func supports(_ readerType: CardReaderType, foundBy method: CardReaderDiscoveryMethod) -> Bool {
        sources.contains { $0.discoveryMethod == method && $0.readerTypes.contains(readerType) }
    }

    /// Starts a search; a search by another method ends.
    ///
    /// - Throws: ``UnderlyingError``
    func start(_ method: CardReaderDiscoveryMethod) async throws(UnderlyingError) {
        guard search?.method != method else { return }
        let chosen = sources.filter { $0.discoveryMethod == method }
        guard !chosen.isEmpty else {
            throw .featureNotAvailable("the discovery method \(method.rawValue) is not available here")
        }
        cancel()
        var begun = Search(method: method, sources: chosen)
        for source in chosen {
            let changes = source.changes()
            begun.watching.append(
                Task { [weak self] in
                    for await _ in changes {
                        // A source that cannot be queried now reports the next change.
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

    /// Ends the search. The discovered readers can still be opened.
    func cancel() {
        for task in search?.watching ?? [] { task.cancel() }
        search = nil
        discovered.send([])
    }

    /// Ends the search and forgets the discovered readers.
    func clear() {
        cancel()
        found = [:]
    }

    /// Records a reader whose properties have changed since its discovery.
    func adopt(_ reader: CardReader, from source: any CardReaderSource) { found[reader.id] = source }

    /// Returns the source of a reader; nil for a reader that was not discovered.
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
