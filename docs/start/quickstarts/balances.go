// Prints the outstanding principal of each facility.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

var (
	base   = os.Getenv("BASE")
	client = &http.Client{Timeout: 30 * time.Second}
	token  struct {
		Value     string `json:"access_token"`
		ExpiresIn int    `json:"expires_in"`
		until     time.Time
	}
)

// bearer gets a token, and the next one five minutes before it expires.
func bearer() (string, error) {
	if time.Now().Before(token.until) {
		return token.Value, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}.Encode()
	request, err := http.NewRequest("POST", base+"/oauth/token", strings.NewReader(form))
	if err != nil {
		return "", err
	}
	request.SetBasicAuth(os.Getenv("ID"), os.Getenv("SECRET"))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("no token: %s", answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(&token); err != nil {
		return "", err
	}
	token.until = time.Now().Add(time.Duration(token.ExpiresIn-300) * time.Second)
	return token.Value, nil
}

// Amounts stay text: a float64 cannot hold them. Compute with math/big.Rat or a decimal library.
type page struct {
	Data []struct {
		Currency string
		Deal     struct{ DealNumber string }
		Global   struct{ Principal struct{ Outstanding string } }
	}
	Page struct {
		HasMore    bool
		NextCursor string
	}
}

type problem struct{ Code, Detail, RequestID string }

// ask sends a request again where that helps, after Retry-After.
func ask(query url.Values) (found page, err error) {
	for attempt := 1; ; attempt++ {
		value, err := bearer()
		if err != nil {
			return found, err
		}
		request, err := http.NewRequest("GET", base+"/api/v1/cls/balances?"+query.Encode(), nil)
		if err != nil {
			return found, err
		}
		request.Header.Set("Authorization", "Bearer "+value)
		answer, err := client.Do(request)
		if err != nil {
			return found, err
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return found, json.NewDecoder(answer.Body).Decode(&found)
		}
		if again := answer.StatusCode == 429 || answer.StatusCode == 503; !again || attempt == 4 {
			var why problem
			if err := json.NewDecoder(answer.Body).Decode(&why); err != nil {
				return found, fmt.Errorf("refused: %s", answer.Status)
			}
			return found, fmt.Errorf("%s: %s (request %s)", why.Code, why.Detail, why.RequestID)
		}
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		time.Sleep(time.Duration(max(seconds, 1)) * time.Second)
	}
}

func main() {
	query := url.Values{"limit": {"1000"}}
	for {
		found, err := ask(query)
		if err != nil {
			log.Fatal(err)
		}
		for _, facility := range found.Data {
			fmt.Println(facility.Deal.DealNumber, facility.Global.Principal.Outstanding, facility.Currency)
		}
		if !found.Page.HasMore {
			return
		}
		query = url.Values{"cursor": {found.Page.NextCursor}}
	}
}
