"""Logs the official Python client in at the issuer that the server names, and calls a tool: client.py MODE URL"""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

MODE, URL = sys.argv[1:]


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


storage, answer = Storage(), {}


async def browser(url):
    """The user's browser: it follows the address to the issuer, which agrees, and back."""
    async with httpx2.AsyncClient() as http:
        response = await http.get(url, follow_redirects=False)
    assert response.status_code == 302, response.text
    back = parse_qs(urlsplit(response.headers["location"]).query)
    assert "code" in back, back
    answer.update({name: values[0] for name, values in back.items()})


async def callback():
    return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


async def main():
    login = OAuthClientProvider(
        server_url=URL,
        client_metadata=OAuthClientMetadata(
            client_name="ci",
            redirect_uris=["http://127.0.0.1:9/callback"],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        storage=storage,
        redirect_handler=browser,
        callback_handler=callback,
    )
    async with httpx2.AsyncClient(auth=login, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=MODE) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool("evaluate_context", {"signals": [{"title": "a", "content": "b"}]})
    assert tools and not result.is_error and result.structured_content, result
    assert storage.tokens and answer, "there was no login"
    print(f"Total: python mcp {MODE}: logged in, {len(tools)} tools listed, 1 call answered")


asyncio.run(asyncio.wait_for(main(), 60))
