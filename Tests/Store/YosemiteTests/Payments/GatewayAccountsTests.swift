import Determinism
import Networking
import Storage
import StoreSite
import TestDoubles
import Testing

@testable import Yosemite

/// The payment gateways of a store: their accounts, and what only they can answer.
@Suite struct GatewayAccountsTests {
    private let network = MockNetwork()
    private let storage: SQLiteStorageManager
    private let accounts: GatewayAccounts
    private let account = """
        {"status":"complete","is_live":true,"test_mode":false,"has_pending_requirements":false,
        "has_overdue_requirements":false,"current_deadline":null,"statement_descriptor":"SHOP",
        "store_currencies":{"default":"usd","supported":["usd"]},"country":"US"}
        """
    private let noRoute = #"{"code":"rest_no_route","message":"No route was found.","data":{"status":404}}"#

    init() throws {
        storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let client = SiteClient(
            network: network,
            credentials: .applicationPassword(
                ApplicationPassword(username: "clerk", password: Secret("secret")),
                site: try WebAddress("https://shop.example")),
            retries: .never, time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
        let context = StoreContext(sender: client, storage: storage, time: VirtualTimeSource())
        accounts = GatewayAccounts(site: PaymentSite(context: context, siteID: 7, address: "https://shop.example"))
    }

    private func kept() throws -> [String] {
        try storage.read { try $0.models(GatewayAccount.self) }.map(\.gatewayID).sorted()
    }

    private func failure<Value: Sendable>(
        _ body: () async throws(CardPresentPaymentsError) -> Value
    ) async -> CardPresentPaymentsError? {
        do throws(CardPresentPaymentsError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `both accounts are fetched and stored`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("account/summary", json: account)
        let loaded = try await accounts.load(siteID: 7)
        #expect(loaded.map(\.gatewayID) == ["woocommerce-payments", "woocommerce-stripe"])
        #expect(loaded.allSatisfy { $0.siteID == 7 })
        #expect(try kept() == ["woocommerce-payments", "woocommerce-stripe"])
    }

    @Test func `one responding gateway is enough, and the other account stays unchanged`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("account/summary", json: account)
        network.simulate("account/summary", json: #"{"code":"x","message":"busy"}"#, status: 503)
        _ = try await accounts.load(siteID: 7)
        #expect(try await accounts.load(siteID: 7).map(\.gatewayID) == ["woocommerce-payments"])
        #expect(try kept() == ["woocommerce-payments", "woocommerce-stripe"])
    }

    @Test func `the stored account is deleted if the store certainly has none`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("payments/accounts", json: "[]")
        network.simulate("account/summary", json: account)
        _ = try await accounts.load(siteID: 7)
        #expect(try await accounts.load(siteID: 7).map(\.gatewayID) == ["woocommerce-stripe"])
        #expect(try kept() == ["woocommerce-stripe"])
    }

    @Test func `without any response it fails, and nothing is deleted`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("account/summary", json: account)
        _ = try await accounts.load(siteID: 7)
        network.removeAllAnswers()
        network.simulate("payments/accounts", json: "{}", status: 500)
        network.simulate("account/summary", json: "{}", status: 500)
        guard
            case .site(.network)? = await failure({ () throws(CardPresentPaymentsError) in
                try await accounts.load(siteID: 7)
            })
        else {
            Issue.record("it did not fail")
            return
        }
        #expect(try kept().count == 2)
    }

    @Test func `a store without the extensions has no account`() async throws {
        network.simulate("payments/accounts", json: noRoute, status: 404)
        network.simulate("account/summary", json: noRoute, status: 404)
        #expect(try await accounts.load(siteID: 7).isEmpty)
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.account(siteID: 7) }
                == .gateway(.noAccount(siteID: 7)))
    }

    @Test func `the only account is used, unless its gateway rejected it`() async throws {
        network.simulate("payments/accounts", json: "[]")
        network.simulate(
            "account/summary", json: account.replacing("\"complete\"", with: "\"rejected.fraud\""))
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.account(siteID: 7) }
                == .gateway(.rejected(gateway: "woocommerce-stripe", status: "rejected.fraud")))
    }

    @Test func `another site gets no request`() async throws {
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.load(siteID: 8) } == .noStoreSite)
        #expect(network.requests.isEmpty)
    }

    @Test func `selecting the first account is not a change, another one is`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("account/summary", json: account)
        let loaded = try await accounts.load(siteID: 7)
        #expect(!accounts.use(loaded[0]))
        #expect(!accounts.use(loaded[0]))
        #expect(accounts.use(loaded[1]))
        accounts.forget()
        #expect(!accounts.use(loaded[0]))
    }

    // MARK: Readers of the gateway

    @Test func `an incomplete store location is reported with the page to fix it`() async throws {
        network.simulate(
            "terminal/locations/store",
            json: """
                {"code":"store_address_is_incomplete","message":"Complete it: https://shop.example/wp-admin/x?a=b&c=d.",
                "data":{"status":400}}
                """, status: 400)
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.defaultReaderLocation(siteID: 7) }
                == .readerConfiguration(
                    .incompleteStoreAddress(adminURL: "https://shop.example/wp-admin/x?a=b&c=d")))
    }

    @Test func `an invalid postal code is a specific error, and other errors are unchanged`() async throws {
        network.simulate(
            "terminal/locations/store", json: #"{"code":"postal_code_invalid","message":"Bad."}"#, status: 400)
        network.simulate(
            "terminal/locations/store", json: #"{"code":"wcpay_invalid_request","message":"Bad."}"#, status: 400)
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.defaultReaderLocation(siteID: 7) }
                == .readerConfiguration(.invalidPostalCode))
        guard
            case .site(.network(.service))? = await failure({ () throws(CardPresentPaymentsError) in
                try await accounts.defaultReaderLocation(siteID: 7)
            })
        else {
            Issue.record("another error")
            return
        }
    }

    @Test func `a connection token comes from the gateway in use`() async throws {
        network.simulate("payments/accounts", json: account)
        network.simulate("account/summary", json: account)
        network.simulate("connection_tokens", json: #"{"secret":"pst_1","test_mode":true}"#)
        let loaded = try await accounts.load(siteID: 7)
        #expect(try await accounts.connectionToken(siteID: 7).secret == Secret("pst_1"))
        _ = accounts.use(loaded[1])
        _ = try await accounts.connectionToken(siteID: 7)
        let routes = network.requests.suffix(2).compactMap(\.address.query)
        #expect(routes[0].contains("payments"))
        #expect(routes[1].contains("wc_stripe"))
    }

    // MARK: Charges

    private let charge = """
        {"id":"ch_1","amount":1250,"amount_captured":1250,"amount_refunded":0,"authorization_code":null,"captured":true,
        "created":1700000000,"currency":"usd","paid":true,"payment_intent":"pi_1","payment_method":"pm_1",
        "payment_method_details":{"type":"card_present","card_present":{"brand":"visa","last4":"0010","funding":"credit"}},
        "refunded":false,"status":"succeeded"}
        """

    @Test func `a charge is stored, and deleted when the gateway does not know it`() async throws {
        network.simulate("charges/ch_1", json: charge)
        network.simulate(
            "charges/ch_1", json: #"{"code":"wcpay_get_charge","message":"Error: No such charge: 'ch_1'"}"#, status: 500
        )
        #expect(try await accounts.charge("ch_1", siteID: 7).amountCaptured == 1250)
        #expect(try storage.read { try $0.count(WCPayCharge.self) } == 1)
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.charge("ch_1", siteID: 7) }
                == .site(.notFound(entity: "charge", id: "ch_1")))
        #expect(try storage.read { try $0.count(WCPayCharge.self) } == 0)
    }

    @Test func `an error without a charge deletes none`() async throws {
        network.simulate("charges/ch_1", json: charge)
        network.simulate("charges/ch_1", json: #"{"code":"wcpay_get_charge","message":"Try later"}"#, status: 500)
        _ = try await accounts.charge("ch_1", siteID: 7)
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.charge("ch_1", siteID: 7) } != nil
        )
        #expect(try storage.read { try $0.count(WCPayCharge.self) } == 1)
    }

    @Test func `the Stripe extension has no charges, and the error says so`() async throws {
        network.simulate("payments/accounts", json: "[]")
        network.simulate("account/summary", json: account)
        _ = accounts.use(try #require(try await accounts.load(siteID: 7).first))
        #expect(
            await failure { () throws(CardPresentPaymentsError) in try await accounts.charge("ch_1", siteID: 7) }
                == .gateway(.notOffered(gateway: "woocommerce-stripe", what: "charge lookups")))
    }
}
