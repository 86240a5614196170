internal import Networking

extension CustomerRemote {
    /// All that a site knows of several customers, a few of whom are asked for at the same time.
    ///
    /// Those that the site does not know any more are left out, and those whose answer cannot be read are reported.
    func customers(siteID: Int64, _ ids: [Int64]) async throws(StoreError) -> ElementList<Customer> {
        try await withTaskGroup(of: Result<Customer, NetworkError>.self) { group in
            var (rest, customers, rejected) = (ids[...], [Customer](), [DecodingFailure]())
            func begin(_ id: Int64) {
                group.addTask {
                    do throws(NetworkError) {
                        return .success(try await loadCustomer(siteID: siteID, customerID: id))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for id in rest.prefix(4) { begin(id) }
            rest = rest.dropFirst(4)
            while let answer = await group.next() {
                switch answer {
                case .success(let customer): customers.append(customer)
                case .failure(.undecodable(let failure)): rejected.append(failure)
                case .failure(.service(let service)) where service.kind == .notFound: break
                case .failure(let error):
                    group.cancelAll()
                    return Result<ElementList<Customer>, StoreError>.failure(StoreError(error))
                }
                if let next = rest.popFirst() { begin(next) }
            }
            return .success(ElementList(elements: customers, rejected: rejected))
        }.get()
    }
}
