import Networking

/// Reads a long list page by page, and saves each page while the next ones are loading.
///
/// When the server reports the number of pages, several are requested at the same time; otherwise each page says
/// whether another one follows. Pages saved before a failure or a cancellation stay saved.
struct Paginator<Element: Sendable>: Sendable {
    /// The number of pages in flight. More would only wait for the database.
    static var width: Int { 3 }

    let context: StoreContext
    /// At least one.
    let pageLimit: Int
    let load: @Sendable (PageRequest) async throws(NetworkError) -> Page<Element>
    /// Saves a page in one transaction.
    /// - Returns: the number of saved elements.
    let save: @Sendable (Page<Element>) throws(StoreError) -> Int

    private struct Answer: Sendable {
        let number: Int
        let page: Result<Page<Element>, StoreError>
    }

    /// Reads to the last page, or to the page limit.
    func run(
        onProgress: @escaping @Sendable (SynchronizationProgress) -> Void
    ) async throws(StoreError) -> SynchronizationReport {
        try await withTaskGroup(of: Answer.self) { group -> Result<SynchronizationReport, StoreError> in
            var report = SynchronizationReport()
            // The last page requested, and the last page of the whole list as far as known.
            var (asked, last) = (1, 1)
            group.addTask { await answer(1) }
            while let answer = await group.next() {
                let page: Page<Element>
                switch answer.page {
                case .success(let answered): page = answered
                case .failure(let error):
                    group.cancelAll()
                    return .failure(error)
                }
                last = page.totalPages ?? max(last, page.hasNext ? answer.number + 1 : answer.number)
                while asked < min(last, pageLimit), asked - report.pages <= Self.width, !Task.isCancelled {
                    asked += 1
                    let number = asked
                    group.addTask { await self.answer(number) }
                }
                do throws(StoreError) {
                    report.saved += try save(page)
                } catch {
                    group.cancelAll()
                    return .failure(error)
                }
                report.add(page, number: answer.number)
                onProgress(
                    SynchronizationProgress(saved: report.saved, pages: report.pages, total: page.total))
            }
            if Task.isCancelled, asked < min(last, pageLimit) { return .failure(.canceled) }
            report.isComplete = last <= pageLimit
            return .success(report)
        }.get()
    }

    private func answer(_ number: Int) async -> Answer {
        do throws(NetworkError) {
            return Answer(number: number, page: .success(try await load(PageRequest(number: number, size: 100))))
        } catch {
            // A canceled read has changed nothing at the site.
            if case .canceled = error { return Answer(number: number, page: .failure(.canceled)) }
            return Answer(number: number, page: .failure(.network(error)))
        }
    }
}
