import Money
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// Tax classes and rates, separately for each site.
struct TaxClassesStoreTests {
    private let session: SiteStoresBench

    init() throws { session = try SiteStoresBench() }

    private func keep(_ slugs: [String], site: Int64) throws {
        try session.keep(slugs.map { TaxClass(siteID: site, slug: $0, name: $0) })
    }

    private func classes() throws -> [String] { try session.kept(TaxClass.self).map { "\($0.siteID) \($0.slug)" } }

    private static func rate(_ id: Int, _ rate: String = "4.0000") -> String {
        #"{"id":\#(id),"country":"US","rate":"\#(rate)","name":"T","priority":1,"order":1,"class":"standard"}"#
    }

    private func rates() throws -> [String] { try session.kept(TaxRate.self).map { "\($0.siteID) \($0.id)" } }

    @Test func `fetched tax classes replace only those of their site`() async throws {
        try keep(["standard", "gone"], site: 5)
        try keep(["standard", "other"], site: 6)
        session.network.simulate(
            "taxes/classes", json: #"[{"slug":"standard","name":"Standard"},{"slug":"zero-rate","name":"Zero"}]"#)
        let list: ElementList<TaxClass> = try await session.value {
            TaxClassesAction.retrieveTaxClasses(siteID: 5, onCompletion: $0)
        }
        #expect(list.elements.map(\.name) == ["Standard", "Zero"])
        #expect(try classes() == ["5 standard", "5 zero-rate", "6 other", "6 standard"])
    }

    @Test func `tax classes stay when they cannot be fetched or decoded completely`() async throws {
        try keep(["standard", "reduced-rate"], site: 5)
        session.refuse("taxes/classes")
        #expect(
            await session.failure(ElementList<TaxClass>.self) {
                TaxClassesAction.retrieveTaxClasses(siteID: 5, onCompletion: $0)
            } != nil)
        session.network.removeAllAnswers()
        session.network.simulate("taxes/classes", json: #"[{"slug":"standard","name":"Standard"},{"slug":{}}]"#)
        let list: ElementList<TaxClass> = try await session.value {
            TaxClassesAction.retrieveTaxClasses(siteID: 5, onCompletion: $0)
        }
        #expect(list.rejected.count == 1)
        #expect(try classes() == ["5 reduced-rate", "5 standard"])
    }

    @Test func `a stored tax class of this site is not fetched`() async throws {
        try keep(["reduced-rate", "standard"], site: 5)
        let found: TaxClass? = try await session.value {
            TaxClassesAction.requestMissingTaxClasses(siteID: 5, slug: "reduced-rate", onCompletion: $0)
        }
        #expect(found?.slug == "reduced-rate")
        // A product of the standard class names none.
        let standard: TaxClass? = try await session.value {
            TaxClassesAction.requestMissingTaxClasses(siteID: 5, slug: "", onCompletion: $0)
        }
        #expect(standard?.slug == "standard")
        #expect(session.network.requests.isEmpty)
    }

    @Test func `a tax class stored for another site is fetched`() async throws {
        try keep(["reduced-rate"], site: 6)
        session.network.simulate("taxes/classes", json: #"[{"slug":"reduced-rate","name":"Ours"}]"#)
        let found: TaxClass? = try await session.value {
            TaxClassesAction.requestMissingTaxClasses(siteID: 5, slug: "reduced-rate", onCompletion: $0)
        }
        #expect(found?.name == "Ours")
        #expect(found?.siteID == 5)
        let missing: TaxClass? = try await session.value {
            TaxClassesAction.requestMissingTaxClasses(siteID: 5, slug: "moon", onCompletion: $0)
        }
        #expect(missing == nil)
        #expect(session.network.requests.count == 2)
    }

    @Test func `the first page of tax rates replaces the site's, and further pages add to them`() async throws {
        session.network.simulate("/wc/v3/taxes", json: "[\(Self.rate(1)),\(Self.rate(2))]")
        session.network.simulate("/wc/v3/taxes", json: "[\(Self.rate(3))]")
        session.network.simulate("/wc/v3/taxes", json: "[\(Self.rate(2, "7.5"))]")
        for (number, size, hasNext) in [(1, 2, true), (2, 2, false), (1, 100, false)] {
            let page: Page<TaxRate> = try await session.value {
                TaxClassesAction.retrieveTaxRates(
                    siteID: 5, page: PageRequest(number: number, size: size), onCompletion: $0)
            }
            #expect(page.hasNext == hasNext)
            if number == 2 {
                #expect(try rates() == ["5 1", "5 2", "5 3"])
                try session.keep(try session.kept(TaxRate.self).map { $0.copy(siteID: 6) })
            }
        }
        #expect(try rates() == ["5 2", "6 1", "6 2", "6 3"])
        #expect(try session.kept(TaxRate.self).first?.rate.description == "7.5")
    }

    @Test func `tax rates stay when the page cannot be fetched`() async throws {
        session.network.simulate("/wc/v3/taxes", json: "[\(Self.rate(1)),{\"id\":2}]")
        let page: Page<TaxRate> = try await session.value {
            TaxClassesAction.retrieveTaxRates(siteID: 5, page: PageRequest(), onCompletion: $0)
        }
        #expect(page.list.rejected.map(\.path) == ["[1].rate"])
        session.network.removeAllAnswers()
        session.network.simulate("/wc/v3/taxes", error: .connectionLost(host: "shop.example", reason: "cut"))
        #expect(
            await session.failure(Page<TaxRate>.self) {
                TaxClassesAction.retrieveTaxRates(siteID: 5, page: PageRequest(), onCompletion: $0)
            } == .network(.connectionLost(host: "shop.example", reason: "cut")))
        #expect(try rates() == ["5 1"])
    }

    @Test func `a single tax rate is fetched and stored in addition`() async throws {
        session.network.simulate("/wc/v3/taxes/1", json: Self.rate(1, "17.6470"))
        session.network.simulate("/wc/v3/taxes/2", json: Self.rate(2))
        for id in [1, 2] as [Int64] {
            let rate: TaxRate = try await session.value {
                TaxClassesAction.retrieveTaxRate(siteID: 5, taxRateID: id, onCompletion: $0)
            }
            #expect(rate.id == id)
        }
        #expect(try session.kept(TaxRate.self).map(\.rate.description) == ["17.6470", "4.0000"])
    }

    @Test func `an unknown tax rate is reported as such`() async throws {
        session.refuse(
            "/wc/v3/taxes/9", status: 404, code: "woocommerce_rest_invalid_id", message: "Invalid resource ID.")
        let error = await session.failure(TaxRate.self) {
            TaxClassesAction.retrieveTaxRate(siteID: 5, taxRateID: 9, onCompletion: $0)
        }
        guard case .network(.service(let service)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.kind == .notFound)
    }
}
