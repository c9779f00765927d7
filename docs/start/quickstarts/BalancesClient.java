import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.client.OAuth2ClientHttpRequestInterceptor;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Reads balances page by page. */
@Component
public class BalancesClient {
  private final RestClient http;

  BalancesClient(
      @Value("${cls.base}") String base,
      ClientRegistrationRepository registrations,
      OAuth2AuthorizedClientService authorized) {
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(registrations, authorized);
    var token = new OAuth2ClientHttpRequestInterceptor(manager);
    token.setClientRegistrationIdResolver(request -> "cls");
    http = RestClient.builder().baseUrl(base + "/api/v1").requestInterceptor(token).build();
  }

  public void forEach(Consumer<Facility> use) {
    var page = ask("/cls/balances?limit=1000", "");
    page.data().forEach(use);
    while (page.page().hasMore()) {
      page = ask("/cls/balances?cursor={cursor}", page.page().nextCursor());
      page.data().forEach(use);
    }
  }

  private PageOfFacilities ask(String path, String cursor) {
    return http.get().uri(path, cursor).retrieve().body(PageOfFacilities.class);
  }

  // A version may grow: fields that are not named here are left alone.
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record PageOfFacilities(List<Facility> data, Paging page) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Paging(boolean hasMore, String nextCursor) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Facility(String id, String currency, Amounts global) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Amounts(Principal principal) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Principal(BigDecimal outstanding) {}
}
